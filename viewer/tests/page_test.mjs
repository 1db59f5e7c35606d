// The page in a real browser, against the real program: node tests/page_test.mjs
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { pathToFileURL } from 'node:url';
import { browserPath, colours, endAll, launch, makeFolder, number, openPage, picture, placeOf, restingBox, scree, serve, touches } from './browser.mjs';

if (!browserPath) {
  console.log('skipped: no browser (package chromium); the page is not tested');
  process.exit(77);
}

const limit = { timeout: 180000 }; // ms; only what hangs takes so long
const folder = makeFolder();
let browser;
before(async () => {
  scree(folder, 'run', 'hello', '--time', '1.5', '--record', 'hello.h5', '--quiet');
  scree(folder, 'run', 'wall', '--set', 'bricks=60', '--time', '0.6', '--record', 'wall.h5', '--quiet');
  browser = await launch();
});
after(async () => {
  endAll();
  await browser?.close();
});

const cursor = (page) => page.evaluate(() => window.scree.player.cursor.value);
const waitForCursor = (page, index) => page.waitForFunction((i) => window.scree.player.cursor.value === i, index);
const waitForFrame = (page, index) =>
  page.waitForFunction((i) => window.scree.player.cursor.value === i && window.scree.frame.value?.number === i, index);
const select = async (page, name) => {
  await page.keyboard.press('/');
  await page.keyboard.type(name);
  await page.locator(`[data-body]:has-text("${name}")`).first().click();
  await page.waitForFunction((n) => window.scree.scene.value.bodies[window.scree.selection.value[0]]?.name === n, name);
};

/** Row `frame` of body `name` in the recording, as the CSV export has it: all digits. */
function recorded(name, frame, body) {
  const file = join(folder, `${name}.csv`);
  scree(folder, 'export', `${name}.h5`, file, '--quiet');
  const [head, ...rows] = readFileSync(file, 'utf8').trim().split('\n');
  const columns = head.split(',');
  const ofBody = rows.map((row) => row.split(',')).filter((row) => row[1] === body);
  return Object.fromEntries(columns.map((column, k) => [column, ofBody[frame][k]]));
}

test('a replay draws, plays, and stops at its end', limit, async () => {
  const server = await serve(folder, 'view', 'hello.h5');
  const page = await openPage(browser, server.link);
  assert.equal(await page.title().then((title) => title.length > 0), true);
  assert.ok((await colours(page)) > 20, 'the picture is not blank');
  const first = await picture(page);
  await page.keyboard.press('Space');
  await page.waitForFunction(() => window.scree.player.cursor.value > 20);
  await page.waitForFunction(() => !window.scree.player.playing.value && window.scree.player.isAtEnd);
  await page.waitForFunction(() => window.scree.frame.value.number === window.scree.timeline.count - 1);
  assert.notDeepEqual(await picture(page), first, 'the picture changes over time');
  assert.deepEqual(page.errors, []);
  const foreign = page.requests.filter((url) => !url.startsWith(server.link) && !/^(data|blob):/.test(url));
  assert.deepEqual(foreign, [], 'nothing is fetched from elsewhere');
  await page.context().close();
  assert.equal(await server.end(), 0);
});

test('slider and keys move through a replay', limit, async () => {
  const server = await serve(folder, 'view', 'hello.h5');
  const page = await openPage(browser, server.link);
  const last = (await page.evaluate(() => window.scree.timeline.count)) - 1;
  assert.equal(last, 150);
  await page.keyboard.press('End');
  await waitForCursor(page, last);
  await page.keyboard.press('Home');
  await waitForCursor(page, 0);
  await page.keyboard.press('ArrowRight');
  await waitForCursor(page, 1);
  await page.keyboard.press('Shift+ArrowRight');
  await waitForCursor(page, 11);
  await page.keyboard.press('ArrowLeft');
  await waitForCursor(page, 10);
  const box = await restingBox(page.getByRole('slider', { name: 'Time' }));
  // Well inside: what stands beside it may change its width.
  await page.mouse.move(box.x + box.width / 8, box.y + box.height / 2);
  await page.mouse.down();
  await page.waitForFunction(() => document.querySelector('.time-slider.dragging'));
  const middle = await restingBox(page.getByRole('slider', { name: 'Time' }));
  await page.mouse.move(middle.x + middle.width / 2, middle.y + middle.height / 2, { steps: 5 });
  await page.mouse.up();
  await page.waitForFunction((middle) => Math.abs(window.scree.player.cursor.value - middle) <= 1, last / 2);
  await waitForFrame(page, await cursor(page));
  await page.keyboard.press('?');
  await page.getByText('Play or pause').first().waitFor();
  await page.keyboard.press('Escape');
  for (const [key, option] of [['c', 'contacts'], ['f', 'forces'], ['o', 'boxes'], ['w', 'wireframe'], ['m', 'centers']]) {
    await page.keyboard.press(key);
    assert.equal(await page.evaluate((name) => window.scree.options.value[name], option), true, option);
  }
  assert.deepEqual(page.errors, []);
  await page.context().close();
  await server.end();
});

test('the numbers of a selected body are those of the recording, to the last digit', limit, async () => {
  const server = await serve(folder, 'view', 'hello.h5');
  const page = await openPage(browser, server.link);
  await select(page, 'cube');
  await page.evaluate(() => window.scree.player.seek(37));
  await waitForFrame(page, 37);
  await page.waitForFunction(() => window.scree.tracks.get(window.scree.selection.value[0])?.count > 0);
  const row = recorded('hello', 37, 'cube');
  await page.waitForFunction((z) => document.querySelector('[data-field="position.z"]').dataset.value === z, String(Number(row.z)));
  assert.equal(await number(page, 'position.z'), Number(row.z));
  assert.equal(await number(page, 'position.x'), Number(row.x));
  assert.equal(Math.fround(await number(page, 'velocity.z')), Math.fround(Number(row.vz)));
  assert.equal(await number(page, 'mass'), 1000);
  assert.deepEqual(page.errors, []);
  await page.context().close();
  await server.end();
});

test('plots appear and can be saved', limit, async () => {
  const server = await serve(folder, 'view', 'hello.h5');
  const page = await openPage(browser, server.link);
  await select(page, 'cube');
  await page.keyboard.press('d');
  await page.waitForFunction(() => document.querySelectorAll('[data-plot] canvas').length >= 2);
  await page.waitForFunction(() => window.scree.tracks.get(window.scree.selection.value[0])?.count > 0);
  const csv = page.waitForEvent('download');
  await page.getByText('CSV', { exact: true }).click();
  const text = readFileSync(await (await csv).path(), 'utf8');
  const row = recorded('hello', 100, 'cube');
  assert.ok(text.includes(String(Number(row.z))), `${text.slice(0, 300)}: the table holds the height of frame 100 with all digits`);
  const png = page.waitForEvent('download');
  await page.getByText('PNG', { exact: true }).click();
  assert.deepEqual([...readFileSync(await (await png).path()).subarray(1, 4)], [...Buffer.from('PNG')]);
  assert.deepEqual(page.errors, []);
  await page.context().close();
  await server.end();
});

test('a body is selected by a click, and a picture saved', limit, async () => {
  const server = await serve(folder, 'view', 'hello.h5');
  const page = await openPage(browser, server.link);
  const place = await placeOf(page, 'cube');
  await page.mouse.click(place.x, place.y);
  await page.waitForFunction(() => window.scree.selection.value.length === 1);
  const cube = await page.evaluate(() => window.scree.scene.value.find('cube'));
  assert.deepEqual(await page.evaluate(() => window.scree.selection.value), [cube]);
  const saved = page.waitForEvent('download');
  await page.keyboard.press('s');
  assert.ok(readFileSync(await (await saved).path()).length > 5000);
  await page.context().close();
  await server.end();
});

test('a live simulation runs, pauses, steps, and can be scrubbed back', limit, async () => {
  const server = await serve(folder, 'view', 'wall', '--set', 'bricks=40');
  const page = await openPage(browser, server.link);
  await page.waitForFunction(() => window.scree.frame.value.step > 10);
  assert.ok((await colours(page)) > 20);
  await page.keyboard.press('Space');
  await page.waitForFunction(() => window.scree.status.value.playing === false);
  const step = await page.evaluate(() => window.scree.status.value.step);
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction((s) => window.scree.frame.value.step === s + 1, step);
  await page.keyboard.press('Home');
  await page.waitForFunction(() => window.scree.frame.value.step < 10);
  assert.equal(await page.evaluate(() => window.scree.player.following.value), false);
  await page.keyboard.press('l');
  await page.waitForFunction((s) => window.scree.frame.value.step === s + 1, step);
  await page.keyboard.press('Backspace');
  await page.waitForFunction(() => window.scree.frame.value?.step === 0 || window.scree.status.value.step < 5);
  assert.deepEqual(page.errors, []);
  await page.context().close();
  assert.equal(await server.end(), 0);
});

test('a body is dragged with the mouse, a ball thrown, gravity changed', limit, async () => {
  const server = await serve(folder, 'view', 'hello');
  const page = await openPage(browser, server.link);
  await page.waitForFunction(() => window.scree.frame.value.time > 1.2); // it lies on the ground
  const height = () => page.evaluate(() => window.scree.frame.value.position[2]);
  const start = await height();
  const place = await placeOf(page, 'cube');
  await page.keyboard.down('Control');
  await page.mouse.move(place.x, place.y);
  await page.mouse.down();
  await page.mouse.move(place.x, place.y - 150, { steps: 8 });
  await page.waitForFunction((z) => window.scree.frame.value.position[2] > z + 0.3, start);
  await page.mouse.up();
  await page.keyboard.up('Control');
  await page.waitForFunction((z) => window.scree.frame.value.position[2] < z + 0.1, start);
  const bodies = await page.evaluate(() => window.scree.scene.value.bodies.length);
  await page.keyboard.press('b');
  await page.waitForFunction((n) => window.scree.scene.value.bodies.length === n + 1, bodies);
  await page.waitForFunction(() => window.scree.frame.value.moving === 2);
  await page.evaluate(() => window.scree.send({ type: 'set', gravity: [0, 0, 3] }));
  await page.waitForFunction(() => window.scree.frame.value.position[2] > 3);
  assert.deepEqual(page.errors, []);
  await page.context().close();
  await server.end();
});

test('a wall that hides the grains stays faded when a ball is thrown', limit, async () => {
  const server = await serve(folder, 'view', 'pile', '--set', 'grains=200');
  const page = await openPage(browser, server.link);
  await page.waitForFunction(() => window.scree.stage.scenery.obstacles.bodies.size > 0);
  const alphas = await page.evaluate(() => new Promise((done) => {
    const { partsAdded, stage } = window.scree;
    const { coloring, obstacles } = stage.scenery;
    partsAdded.watch(() => done([...obstacles.bodies].map((body) => coloring.packed[body + 1] >>> 24)));
    stage.throwBall();
  }));
  assert.ok(alphas.length > 0 && alphas.every((alpha) => alpha === 0), `${alphas}`);
  assert.deepEqual(page.errors, []);
  await page.context().close();
  await server.end();
});

test('after a flood of scrubbing the frame wished last is shown', limit, async () => {
  const server = await serve(folder, 'view', 'hello.h5');
  const page = await openPage(browser, server.link);
  await page.evaluate(() => {
    const { player, timeline } = window.scree;
    for (let k = 0; k < 500; ++k) player.seek((k * 67) % timeline.count); // far apart, and faster than frames can come
    player.seek(93);
  });
  await waitForFrame(page, 93);
  assert.deepEqual(page.errors, []);
  await page.context().close();
  await server.end();
});

test('fitting leaves all bodies between the panels, and fingers turn, move and zoom', limit, async () => {
  const server = await serve(folder, 'view', 'wall.h5');
  const page = await openPage(browser, server.link, { width: 1100, height: 700 });
  await page.evaluate(() => window.scree.stage.rig.orbit(300, 40));
  await page.keyboard.press('a');
  await placeOf(page, 'ball');
  const [inside, wide] = await page.evaluate(() => {
    const free = document.querySelector('.middle').getBoundingClientRect();
    const { scene, stage } = window.scree;
    const places = scene.value.moving.map((body) => stage.placeOf(body));
    const isFree = ({ x, y }) => x > free.left && x < free.right && y > free.top && y < free.bottom;
    const xs = places.map(({ x }) => x);
    const ys = places.map(({ y }) => y);
    const share = Math.max((Math.max(...xs) - Math.min(...xs)) / free.width, (Math.max(...ys) - Math.min(...ys)) / free.height);
    return [places.every(isFree), share];
  });
  assert.ok(inside, 'a body lies under a panel');
  // Of their middles; the corners of the box around them, which is fitted, are further out.
  assert.ok(wide > 0.35 && wide < 1, `the bodies fill the room there is: ${wide}`);

  const view = () => page.evaluate(() => structuredClone(window.scree.stage.rig.view));
  const touch = await touches(page);
  await page.waitForFunction(() => !window.scree.stage.rig.isFlying);
  const start = await view();
  await touch([[500, 350]], [[560, 350]]);
  const turned = await view();
  assert.ok(Math.abs(turned.azimuth - start.azimuth) > 0.1, 'one finger turns');
  assert.deepEqual(turned.target, start.target);
  await touch([[450, 350], [550, 350]], [[400, 350], [600, 350]]);
  const near = await view();
  assert.ok(Math.abs(near.distance / turned.distance - 0.5) < 0.05, 'two fingers that spread come nearer');
  assert.ok(Math.abs(near.azimuth - turned.azimuth) < 1e-9, 'and do not turn');
  await touch([[450, 300], [550, 300]], [[450, 400], [550, 400]]);
  const moved = await view();
  assert.ok(Math.hypot(...moved.target.map((x, d) => x - near.target[d])) > 0.05 * near.distance, 'two fingers move');
  assert.ok(Math.abs(moved.distance / near.distance - 1) < 0.05, 'and do not zoom');
  assert.deepEqual(page.errors, []);
  await page.context().close();
  await server.end();
});

test('End and L leave the simulation running, and the past stays where it is when frames are thinned', limit, async () => {
  const server = await serve(folder, 'view', 'wall', '--set', 'bricks=40');
  const page = await openPage(browser, server.link);
  await page.waitForFunction(() => window.scree.timeline.count > 12 && window.scree.status.value.playing);
  for (const key of ['End', 'l']) {
    await page.keyboard.press(key);
    const step = await page.evaluate(() => window.scree.frame.value.step);
    await page.waitForFunction((s) => window.scree.frame.value.step > s + 2, step);
    assert.equal(await page.evaluate(() => window.scree.player.playing.value), true, key);
  }
  await page.evaluate(() => {
    const { player, timeline } = window.scree;
    player.seek(5);
    timeline.memory = timeline.bytes; // the next frame is too much
  });
  const before = await page.evaluate(() => ({ time: window.scree.frame.value.time, times: [...window.scree.timeline.times] }));
  await page.evaluate(() => window.scree.send({ type: 'play' }));
  await page.waitForFunction((t) => window.scree.timeline.times[1] > t[1] + 1e-9, before.times);
  const after = await page.evaluate(() => {
    const { frame, player, timeline } = window.scree;
    return { time: frame.value.time, at: timeline.times[player.cursor.value], isFollowing: player.following.value };
  });
  assert.deepEqual(after, { time: before.time, at: before.time, isFollowing: false });
  assert.deepEqual(page.errors, []);
  await page.context().close();
  await server.end();
});

test('the page survives the program and finds it again', limit, async () => {
  const server = await serve(folder, 'view', 'hello.h5', '--port', '18765');
  const page = await openPage(browser, server.link);
  const port = new URL(server.link).port;
  await page.evaluate(() => window.scree.player.seek(70));
  await waitForFrame(page, 70);
  const first = await page.evaluateHandle(() => window.scree.scene.value);
  await server.end('SIGKILL');
  await page.getByText(/connection/i).first().waitFor();
  const same = await serve(folder, 'view', 'hello.h5', '--port', port);
  await page.waitForFunction((scene) => window.scree.scene.value !== scene, first);
  await waitForFrame(page, 70);
  await same.end('SIGKILL');
  const again = await serve(folder, 'view', 'wall.h5', '--port', port);
  assert.equal(new URL(again.link).port, port);
  await page.waitForFunction(() => window.scree.scene.value?.bodies.length > 50);
  await page.context().close();
  await again.end();
});

test('an exported page opens from the disk, without any server', limit, async () => {
  scree(folder, 'export', 'wall.h5', 'wall.html', '--quiet');
  const page = await openPage(browser, pathToFileURL(join(folder, 'wall.html')).href);
  assert.equal(await page.evaluate(() => window.scree.timeline.count), 61);
  assert.ok((await colours(page)) > 20);
  await page.keyboard.press('End');
  await waitForFrame(page, 60);
  await select(page, 'ball');
  const row = recorded('wall', 60, 'ball');
  await page.waitForFunction(() => document.querySelector('[data-field="position.x"]').dataset.value !== '');
  assert.ok(Math.abs((await number(page, 'position.y')) - Number(row.y)) <= 1e-6 * Math.max(1, Math.abs(row.y)));
  assert.ok(Math.abs((await number(page, 'velocity.y')) - Number(row.vy)) <= 1e-6 * Math.max(1, Math.abs(row.vy)));
  assert.deepEqual(page.requests.filter((url) => !/^(file|data|blob):/.test(url)), [], 'nothing is fetched');
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test('bounding boxes without contacts say what they lack', limit, async () => {
  scree(folder, 'export', 'hello.h5', 'bare.html', '--no-contacts', '--quiet');
  const page = await openPage(browser, pathToFileURL(join(folder, 'bare.html')).href);
  await page.keyboard.press('o');
  await page.getByText('Contacts are not in this page.').waitFor();
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test('an exported page whose data is damaged says so', limit, async () => {
  const text = readFileSync(join(folder, 'wall.html'), 'utf8');
  const broken = join(folder, 'broken.html');
  writeFileSync(broken, text.replace(/(type="text\/plain">.{200}).*?<\/script>/s, '$1</script>'));
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(pathToFileURL(broken).href);
  await page.getByText(/cannot be read/).first().waitFor();
  await context.close();
});
