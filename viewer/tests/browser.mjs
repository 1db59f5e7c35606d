// What the tests of the page share: the program as a child, a browser, and ways to look at a page.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const children = new Set();
/** Whatever a test that failed has left running. */
export const endAll = () => children.forEach((child) => child.kill('SIGKILL'));
process.on('exit', endAll);

export const program = process.env.SCREE_PROGRAM ?? new URL('../../build/release/scree', import.meta.url).pathname;

const names = ['chromium', 'chromium-browser', 'google-chrome'];
const places = (process.env.PATH ?? '').split(':').flatMap((folder) => names.map((name) => join(folder, name)));
export const browserPath = process.env.SCREE_BROWSER ?? places.find((path) => existsSync(path));

export function makeFolder() {
  const path = mkdtempSync(join(tmpdir(), 'scree-page-'));
  process.on('exit', () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The program to its end; throws when it fails. */
export function scree(folder, ...words) {
  const done = spawnSync(program, words, { cwd: folder, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`scree ${words.join(' ')}: ${done.status}\n${done.stderr}`);
  return done.stdout;
}

/** `scree view` or `scree run --view`, once it has said where it is shown. */
export async function serve(folder, ...words) {
  const child = spawn(program, [...words, '--no-open'], { cwd: folder });
  let said = '';
  const link = await new Promise((found, failed) => {
    child.stderr.on('data', (data) => {
      said += data;
      const match = said.match(/shown at (http\S+)/);
      if (match) found(match[1]);
    });
    child.on('exit', (code) => failed(new Error(`scree ended with ${code}: ${said}`)));
  });
  children.add(child);
  const end = (signal = 'SIGINT') =>
    new Promise((ended) => {
      if (child.exitCode !== null || child.signalCode !== null) return ended(child.exitCode);
      child.removeAllListeners('exit');
      child.on('exit', (code) => ended(code));
      child.kill(signal);
    });
  return { link, end, child, said: () => said };
}

export function launch() {
  return chromium.launch({
    executablePath: browserPath,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist',
      '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'],
  });
}

/** A new page whose errors fail the test through `errors`. */
export async function openPage(browser, address, { width = 1100, height = 700 } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, acceptDownloads: true });
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  page.errors = [];
  page.requests = [];
  page.on('pageerror', (error) => page.errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && page.errors.push(message.text()));
  page.on('request', (request) => page.requests.push(request.url()));
  await page.goto(address);
  await page.waitForFunction(() => window.scree?.frame.value != null && window.scree.stage.hasPicture.value, undefined, { timeout: 60000 });
  return page;
}

/** The picture without panels, as PNG bytes. */
export async function picture(page) {
  return page.locator('#stage canvas').screenshot();
}

/** Distinct colours in the picture, counted in the page on a small copy. */
export async function colours(page) {
  const png = (await picture(page)).toString('base64');
  return page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = 200;
    canvas.height = 120;
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0, 200, 120);
    const pixels = new Uint32Array(context.getImageData(0, 0, 200, 120).data.buffer);
    return new Set(pixels).size;
  }, png);
}

export const field = (page, name) => page.locator(`[data-field="${name}"]`);

export async function number(page, name) {
  return Number(await field(page, name).getAttribute('data-value'));
}

/** Where on the screen the middle of a body is seen, px, once it stands still there. */
export async function placeOf(page, name) {
  const find = (bodyName) => !window.scree.stage.rig.isFlying && window.scree.stage.placeOf(window.scree.scene.value.find(bodyName));
  let before = null;
  for (let same = 0; same < 3; ) {
    const place = await (await page.waitForFunction(find, name)).jsonValue();
    same = before && Math.hypot(place.x - before.x, place.y - before.y) < 0.5 ? same + 1 : 0;
    before = place;
    await page.waitForTimeout(200); // pictures come slowly from a software renderer
  }
  return before;
}

/** Where an element is, once its neighbours no longer push it about. */
export async function restingBox(element) {
  let before = null;
  for (let same = 0; same < 3; ) {
    const box = await element.boundingBox();
    same = JSON.stringify(box) === JSON.stringify(before) ? same + 1 : 0;
    before = box;
    await element.page().waitForTimeout(100);
  }
  return before;
}

/** A function that draws fingers from some places to others, [x, y] in px. */
export async function touches(page) {
  const session = await page.context().newCDPSession(page);
  const send = (type, places) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: places.map(([x, y], id) => ({ x, y, id })) });
  return async (from, to, steps = 6) => {
    await send('touchStart', from);
    for (let k = 1; k <= steps; ++k) {
      await send('touchMove', from.map((place, i) => place.map((p, d) => p + (k / steps) * (to[i][d] - p))));
    }
    await send('touchEnd', []);
  };
}
