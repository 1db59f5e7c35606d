// How fast the viewer is: node tests/measure.mjs. Not a test: it reports, on whatever machine this is.
//   first picture   from the command to a drawn frame, `scree view wall`, the browser being open
//   script time     of the page per drawn frame with 20,000 moving bodies, without the drawing of the GPU
//   streaming       time of a step of a pile without a client, with one that reads, with one that never does
import { spawn } from 'node:child_process';
import net from 'node:net';
import { performance } from 'node:perf_hooks';
import { launch, makeFolder, openPage, program, serve } from './browser.mjs';

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

/** ms per step of a run of a pile under `--view`; `client` does something with the link. */
async function stepTime(grains, steps, client) {
  const words = ['run', 'pile', '--set', `grains=${grains}`, '--steps', String(steps), '--max-iterations', '3',
    '--threads', '1', '--json'];
  if (client) words.push('--view', '--speed', '0', '--no-open');
  const child = spawn(program, words, { cwd: folder });
  let out = '';
  let said = '';
  child.stdout.on('data', (data) => (out += data));
  let close = () => {};
  child.stderr.on('data', (data) => {
    said += data;
    const link = said.match(/shown at (http\S+)/);
    if (link && client) close = client(link[1]) ?? close, (client = null);
  });
  const report = await new Promise((done) => {
    const look = setInterval(() => {
      if (!out.includes('peak_memory_MB')) return;
      clearInterval(look);
      close();
      done();
    }, 50);
  }).then(() => new Promise((done) => child.on('exit', () => done(JSON.parse(out)))));
  return (1000 * report.cpu_s) / report.steps;
}

/** A client on a bare socket: `isReading` takes frames and acknowledges them. */
function bareClient(isReading, counts) {
  return (link) => {
    const { hostname, port } = new URL(link);
    const socket = net.connect(Number(port), hostname);
    const frame = (text) => {
      const body = Buffer.from(text);
      return Buffer.concat([Buffer.from([0x81, 0x80 | body.length, 0, 0, 0, 0]), body]);
    };
    socket.write(`GET /socket HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n');
    socket.on('error', () => {});
    if (!isReading) {
      socket.write(frame(JSON.stringify({ type: 'ack', sequence: 0 }))); // so that the run begins
      socket.pause();
      return () => socket.destroy();
    }
    let sequence = 0;
    socket.on('data', (data) => (counts.bytes += data.length));
    // Every frame is acknowledged, also those that have not come yet: more than any page would ask for.
    const timer = setInterval(() => socket.write(frame(JSON.stringify({ type: 'ack', sequence: ++sequence }))), 10);
    return () => {
      clearInterval(timer);
      socket.destroy();
    };
  };
}

async function streaming() {
  const [grains, steps] = [Number(process.env.GRAINS ?? 100000), Number(process.env.STEPS ?? 12)];
  const rows = { none: [], reading: [], 'never reading': [] };
  const counts = { bytes: 0 };
  for (let k = 0; k < Number(process.env.REPEATS ?? 3); ++k) {
    rows.none.push(await stepTime(grains, steps, null));
    rows.reading.push(await stepTime(grains, steps, bareClient(true, counts)));
    rows['never reading'].push(await stepTime(grains, steps, bareClient(false, counts)));
  }
  for (const [name, values] of Object.entries(rows)) {
    console.log(`pile of ${grains}, client ${name}: ${median(values).toFixed(1)} ms of CPU per step (${values.map((v) => v.toFixed(1)).join(', ')})`);
  }
  console.log(`bytes sent to the reading clients: ${counts.bytes}`);
}

const wanted = process.argv.slice(2);
const does = (name) => wanted.length === 0 || wanted.includes(name);
if (does('first') || does('script')) {
  const browser = await launch();
  if (does('first')) await firstPicture(browser);
  if (does('script')) await scriptTime(browser);
  await browser.close();
}
if (does('streaming')) await streaming();
process.exit(0);
