// The page of `scree bench --html` in a real browser: node tests/bench_test.mjs
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { pathToFileURL } from 'node:url';
import { browserPath, launch, makeFolder, scree } from './browser.mjs';

if (!browserPath) {
  console.log('skipped: no browser (package chromium); the page of the benchmarks is not tested');
  process.exit(77);
}

const limit = { timeout: 180000 }; // ms; only what hangs takes so long
const folder = makeFolder();
let browser, page, data;
before(async () => {
  data = JSON.parse(scree(folder, 'bench', '--tiny', '--html', 'bench.html', '--json', '--quiet'));
  browser = await launch();
  const context = await browser.newContext({ viewport: { width: 1300, height: 900 }, offline: true });
  page = await context.newPage();
  page.setDefaultTimeout(limit.timeout);
  page.errors = [];
  page.requests = [];
  page.on('pageerror', (error) => page.errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && page.errors.push(message.text()));
  page.on('request', (request) => page.requests.push(request.url()));
  await page.goto(pathToFileURL(join(folder, 'bench.html')).href);
  await page.waitForSelector('html[data-ready="yes"]', { state: 'attached' });
  // Charts draw when they know their size, which is after the first layout.
  await page.waitForFunction(() => [...document.querySelectorAll('[data-chart]')].every((chart) => chart.querySelector('g.line')));
});
after(() => browser?.close());

test('every chart is drawn, from the page alone', limit, async () => {
  const charts = await page.locator('[data-chart]').evaluateAll((all) => all.map((chart) => chart.dataset.chart));
  for (const wanted of ['scaling', 'speed-up', 'solve-1e-4']) assert.ok(charts.includes(wanted), `${wanted} in ${charts}`);
  for (const part of ['wall', 'standing', 'pile', 'chain', 'hexagons']) {
    assert.ok(await page.locator(`#${part} [data-chart]`).count() > 0, `${part} has a chart`);
  }
  for (const chart of charts) {
    const paths = await page.locator(`[data-chart="${chart}"] g.line path`).evaluateAll((all) => all.map((path) => path.getAttribute('d')));
    assert.ok(paths.length > 0, `${chart} has lines`);
    for (const d of paths) assert.ok(!/NaN|Infinity/.test(d), `${chart}: ${d}`);
    assert.ok(await page.locator(`[data-chart="${chart}"] .tick`).count() > 4, `${chart} has ticks`);
  }
  assert.deepEqual(page.errors, []);
  assert.equal(page.requests.length, 1, 'nothing is fetched from elsewhere');
});

test('each run of a sweep is a dot', limit, async () => {
  const runs = data.runs.filter((run) => run.part === 'standing' && run.failure === '');
  assert.equal(await page.locator('#standing [data-chart$="-drift"] .dot').count(), runs.length);
});

test('tables have a row for each run, and say what the results say', limit, async () => {
  for (const part of ['wall', 'standing', 'pile', 'incline', 'chain', 'hexagons']) {
    const runs = data.runs.filter((run) => run.part === part && run.failure === '');
    assert.equal(await page.locator(`[data-table="${part}"] tbody tr`).count(), runs.length, part);
  }
  assert.ok((await page.locator('#made').innerText()).includes(data.machine.vectors));
});

test('a hover shows setting, time and error', limit, async () => {
  const dot = page.locator('#standing [data-chart$="-drift"] .dot').first();
  await dot.scrollIntoViewIfNeeded();
  const box = await dot.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const tip = page.locator('#standing [data-chart$="-drift"] .tip.shown');
  await tip.waitFor();
  assert.match(await tip.innerText(), /ms per step[\s\S]*displacement/);
});

test('dark and narrow, it still draws', limit, async () => {
  await page.locator('#theme').click();
  await page.setViewportSize({ width: 480, height: 800 });
  await page.waitForFunction(() => document.querySelector('[data-chart="scaling"] svg').clientWidth < 480);
  assert.deepEqual(page.errors, []);
});
