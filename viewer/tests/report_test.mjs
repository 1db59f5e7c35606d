// The page of `scree compare --html` in a real browser: node tests/report_test.mjs
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { pathToFileURL } from 'node:url';
import { browserPath, launch, makeFolder, scree } from './browser.mjs';

if (!browserPath) {
  console.log('skipped: no browser (package chromium); the report is not tested');
  process.exit(77);
}

const limit = { timeout: 180000 }; // ms; only what hangs takes so long
const folder = makeFolder();
const solvers = ['gauss-seidel', 'jacobi', 'apgd', 'interior-point', 'lemke'];
let browser, page, data;
before(async () => {
  // Problems of a wall that is hit: some steps of a short run.
  scree(folder, 'run', 'wall', '--set', 'bricks=20', '--time', '0.3', '--no-record', '--quiet', '--save-problems', 'problems', '--save-every', '10');
  data = JSON.parse(scree(folder, 'compare', 'problems', '--solvers', solvers.join(','), '--tolerances', '1e-3,1e-5',
    '--repeat', '1', '--html', 'report.html', '--json', '--quiet'));
  browser = await launch();
  const context = await browser.newContext({ viewport: { width: 1300, height: 900 }, acceptDownloads: true, offline: true });
  page = await context.newPage();
  page.errors = [];
  page.requests = [];
  page.on('pageerror', (error) => page.errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && page.errors.push(message.text()));
  page.on('request', (request) => page.requests.push(request.url()));
  await page.goto(pathToFileURL(join(folder, 'report.html')).href);
  await page.waitForSelector('html[data-ready="yes"]', { state: 'attached' });
  // Charts draw when they know their size, which is after the first layout.
  await page.waitForFunction(() => [...document.querySelectorAll('[data-chart]')].every((chart) => chart.querySelector('g.line')));
});
after(() => browser?.close());

const solvedBy = (tolerance) => new Set(data.results.filter((r) => r.tolerance === tolerance && r.status === 'converged').map((r) => r.solver));
const drawn = (chart) => page.locator(`[data-chart="${chart}"] g.line`).evaluateAll((lines) =>
  lines.map((line) => {
    const { x, y, width } = line.getBBox();
    return { solver: line.dataset.solver, d: line.querySelector('path').getAttribute('d'), box: { x, y, width } };
  }));

test('every chart is drawn, from the page alone', limit, async () => {
  const charts = await page.locator('[data-chart]').evaluateAll((all) => all.map((chart) => chart.dataset.chart));
  assert.deepEqual(charts, ['profile-0', 'profile-1', 'iterations', 'time']);
  for (const chart of charts) {
    const lines = await drawn(chart);
    assert.ok(lines.length > 0, `${chart} has lines`);
    for (const { solver, d, box } of lines) {
      assert.ok(!/NaN|Infinity/.test(d), `${chart} ${solver}: ${d}`);
      assert.ok(box.x >= 0 && box.y >= 0, `${chart} ${solver} is inside`);
    }
    assert.ok(await page.locator(`[data-chart="${chart}"] .tick`).count() > 6, `${chart} has ticks`);
  }
  assert.deepEqual(page.errors, []);
  assert.equal(page.requests.length, 1, 'nothing is fetched from elsewhere');
});

test('profiles have the solvers that solved something, and end at their share', limit, async () => {
  for (const [index, tolerance] of [1e-3, 1e-5].entries()) {
    const lines = await drawn(`profile-${index}`);
    assert.deepEqual(new Set(lines.map((line) => line.solver)), solvedBy(tolerance));
  }
});

test('a hover shows the solver and its values', limit, async () => {
  for (const chart of ['profile-0', 'iterations', 'time']) {
    const line = page.locator(`[data-chart="${chart}"] g.line path`).first();
    await line.scrollIntoViewIfNeeded();
    const place = await line.evaluate((path) => {
      const length = path.getTotalLength();
      const { x, y } = path.getPointAtLength(chartStart(length));
      const frame = path.ownerSVGElement.getBoundingClientRect();
      return { x: frame.left + x, y: frame.top + y };
      function chartStart(total) { return Math.min(1, total); }
    });
    await page.mouse.move(place.x, place.y);
    const tip = page.locator(`[data-chart="${chart}"] .tip.shown`);
    await tip.waitFor();
    const [name, ...rest] = (await tip.innerText()).split('\n');
    assert.ok(solvers.includes(name), name);
    assert.match(rest.join(' '), chart === 'profile-0' ? /problems?/ : /iteration \d+.*residual/s);
    await page.mouse.move(2, 2);
    await tip.waitFor({ state: 'hidden' });
  }
});

test('a click on a legend hides a solver in all charts, and brings it back', limit, async () => {
  const has = async (chart) => (await drawn(chart)).some((line) => line.solver === 'gauss-seidel');
  await page.locator('[data-chart="iterations"] [data-entry="gauss-seidel"]').click();
  for (const chart of ['profile-0', 'iterations', 'time']) assert.equal(await has(chart), false, chart);
  await page.locator('[data-table="summary"] [data-toggle="gauss-seidel"]').first().click();
  for (const chart of ['profile-0', 'iterations', 'time']) assert.equal(await has(chart), true, chart);
});

test('another problem has other curves', limit, async () => {
  const select = page.locator('#convergence select[data-choice="problem"]');
  const values = await select.locator('option').evaluateAll((options) => options.map((option) => option.value));
  assert.ok(values.length > 1);
  const before = await drawn('iterations');
  const other = values.find((value) => value !== values[values.indexOf(values[0])]) ?? values[1];
  await select.selectOption(values[0]);
  const first = await drawn('iterations');
  await select.selectOption(other);
  assert.notDeepEqual((await drawn('iterations')).map((line) => line.d), first.map((line) => line.d));
  assert.ok(before.length > 0);
});

test('tables say what the results say', limit, async () => {
  const rows = await page.locator('[data-table="summary"]').first().locator('tbody tr').evaluateAll((all) =>
    all.map((row) => [...row.cells].map((cell) => cell.innerText.trim())));
  assert.equal(rows.length, solvers.length);
  for (const [solver, solved] of rows) {
    const mine = data.results.filter((r) => r.solver === solver && r.tolerance === 1e-3 && r.status === 'converged');
    assert.equal(Number(solved), mine.length, solver);
  }
  const failures = data.results.filter((r) => r.status !== 'converged' && r.status !== 'not_applicable');
  assert.equal(await page.locator('[data-table="failures"] tbody tr').count(), failures.length);
  assert.ok((await page.locator('#made').innerText()).includes(data.command.slice(0, 20)));
  assert.equal(await page.locator('[data-table="families"] tbody tr').count(), solvers.length);
});

test('charts are saved as pictures with their colours', limit, async () => {
  const [file] = await Promise.all([page.waitForEvent('download'), page.locator('[data-chart="time"] figcaption button').click()]);
  const text = readFileSync(await file.path(), 'utf8');
  assert.match(text, /^<svg/);
  assert.match(text, /stroke: rgb\(/);
});

test('dark and narrow, it still draws', limit, async () => {
  await page.locator('#theme').click();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await page.setViewportSize({ width: 480, height: 800 });
  await page.waitForFunction(() => document.querySelector('[data-chart="time"] svg').clientWidth < 480);
  assert.ok((await drawn('time')).length > 0);
  assert.deepEqual(page.errors, []);
});
