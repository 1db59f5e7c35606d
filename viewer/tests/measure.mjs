// How fast the viewer is: node tests/measure.mjs. Not a test: it reports, on whatever machine this is.
//   first picture   from the command to a drawn frame, `scree view wall`, the browser being open
//   script time     of the page per drawn frame with 20,000 moving bodies, without the drawing of the GPU
import { performance } from 'node:perf_hooks';
import { launch, makeFolder, openPage, serve } from './browser.mjs';

const folder = makeFolder();
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

async function firstPicture(browser) {
  const times = [];
  for (let k = 0; k < 5; ++k) {
    const page = await browser.newPage();
    const begin = performance.now();
    const server = await serve(folder, 'view', 'wall');
    await page.goto(server.link);
    await page.waitForFunction(() => window.scree?.stage.timing.submit > 0);
    times.push((performance.now() - begin) / 1000);
    await page.close();
    await server.end();
  }
  console.log(`first picture of wall: median ${median(times).toFixed(2)} s, slowest ${Math.max(...times).toFixed(2)} s`);
}

async function scriptTime(browser) {
  const server = await serve(folder, 'view', 'pile', '--set', 'grains=20000', '--speed', '0', '--max-iterations', '3');
  const page = await openPage(browser, server.link);
  const samples = await page.evaluate(
    () =>
      new Promise((done) => {
        const { stage, frame } = window.scree;
        const found = [];
        let last = null;
        const look = () => {
          if (frame.value !== last && stage.timing.update > 0) {
            last = frame.value;
            found.push([stage.timing.update, stage.timing.submit]);
          }
          if (found.length >= 20) done(found);
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
  const update = samples.map((s) => s[0]);
  const all = samples.map((s) => s[0] + s[1]);
  console.log(
    `script time with 20,000 bodies: own ${median(update).toFixed(1)} ms (largest ${Math.max(...update).toFixed(1)}), ` +
      `with three.js ${median(all).toFixed(1)} ms (largest ${Math.max(...all).toFixed(1)})`,
  );
  await page.close();
  await server.end('SIGKILL');
}

const wanted = process.argv.slice(2);
const does = (name) => wanted.length === 0 || wanted.includes(name);
const browser = await launch();
if (does('first')) await firstPicture(browser);
if (does('script')) await scriptTime(browser);
await browser.close();
process.exit(0);
