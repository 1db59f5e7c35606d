// How fast the viewer is: node tests/measure.mjs. Not a test: it reports, on whatever machine this is.
//   first picture   from the command `scree view wall` until the graphics card has finished a picture that holds the
//                   1000 bricks, the browser being open: as the first page this browser ever draws (cold), and again (warm).
//                   What opening the browser takes is printed beside it. Each picture is then looked at: not blank.
//   script time     of the page per drawn frame with 20,000 moving bodies, without the drawing of the GPU
//   streaming       time of a step of a pile without a client, with one that reads, with one that never does
import { spawn } from 'node:child_process';
import net from 'node:net';
import { performance } from 'node:perf_hooks';
import { colours, launch, makeFolder, openPage, program, serve } from './browser.mjs';

const folder = makeFolder();
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

const summary = (times) => `median ${median(times).toFixed(2)} s, slowest ${Math.max(...times).toFixed(2)} s of ${times.length}`;

/** Seconds from the command to a finished picture on `page`. */
async function timePicture(page) {
  const begin = performance.now();
  const server = await serve(folder, 'view', 'wall');
  await page.goto(server.link, { waitUntil: 'commit' });
  await page.waitForFunction(() => window.scree?.stage.hasPicture.value, undefined, { polling: 'raf' });
  const seconds = (performance.now() - begin) / 1000;
  if ((await colours(page)) < 100) throw new Error('the first picture is blank');
  await page.close();
  await server.end();
  return seconds;
}

async function firstPicture() {
  const [opening, cold, warm] = [[], [], []];
  for (let k = 0; k < 5; ++k) {
    const begin = performance.now();
    const browser = await launch();
    const page = await browser.newPage();
    opening.push((performance.now() - begin) / 1000);
    await page.waitForTimeout(2000); // the browser goes on opening its own windows
    cold.push(await timePicture(page));
    warm.push(await timePicture(await browser.newPage()));
    await browser.close();
  }
  console.log(`opening the browser (not the viewer's): ${summary(opening)}`);
  console.log(`first picture of wall, cold: ${summary(cold)}`);
  console.log(`first picture of wall, warm: ${summary(warm)}`);
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
  const ended = new Promise((done) => child.on('close', done));
  // After its end a run waits for its page to go.
  const look = setInterval(() => out.includes('peak_memory_MB') && close(), 50);
  await ended;
  clearInterval(look);
  const report = JSON.parse(out);
  return { cpu: (1000 * report.cpu_s) / report.steps, step: report.ms_per_step.mean, view: report.stage_ms.observe };
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
      // One word after the handshake, so that the run begins; then nothing is read any more.
      socket.once('data', () => {
        socket.write(frame(JSON.stringify({ type: 'ack', sequence: 0 })));
        socket.pause();
      });
      return () => socket.destroy();
    }
    let sequence = 0;
    const onFrame = (bytes) => {
      ++counts.frames;
      counts.bytes += bytes;
      socket.write(frame(JSON.stringify({ type: 'ack', sequence: ++sequence })));
    };
    socket.once('data', (data) => {
      socket.write(frame(JSON.stringify({ type: 'ack', sequence: 0 })));
      const read = messageCounter(onFrame);
      read(data.subarray(data.indexOf('\r\n\r\n') + 4));
      socket.on('data', read);
    });
    return () => socket.destroy();
  };
}

/** Calls `onFrame` with the size of each binary message in a stream of WebSocket frames. */
function messageCounter(onFrame) {
  let head = Buffer.alloc(0);
  let left = 0; // bytes of the present frame still to come
  let isBinary = false;
  let isFinal = false;
  let size = 0;
  return (data) => {
    for (;;) {
      const taken = Math.min(left, data.length);
      left -= taken;
      data = data.subarray(taken);
      if (left > 0) return;
      if (isFinal && isBinary) onFrame(size);
      if (isFinal) size = 0;
      isFinal = false;
      head = Buffer.concat([head, data]);
      if (head.length < 2) return;
      const short = head[1] & 127;
      const length = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (head.length < length) return;
      left = short < 126 ? short : short === 126 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2));
      const opcode = head[0] & 15;
      if (opcode !== 0) isBinary = opcode === 2;
      isFinal = (head[0] & 128) !== 0;
      size += left;
      data = head.subarray(length);
      head = Buffer.alloc(0);
      if (left > 0 && data.length === 0) return;
    }
  };
}

async function streaming() {
  const [grains, steps] = [Number(process.env.GRAINS ?? 100000), Number(process.env.STEPS ?? 30)];
  const rows = { none: [], reading: [], 'never reading': [] };
  const counts = { bytes: 0, frames: 0 };
  for (let k = 0; k < Number(process.env.REPEATS ?? 5); ++k) {
    rows.none.push(await stepTime(grains, steps, null));
    rows.reading.push(await stepTime(grains, steps, bareClient(true, counts)));
    rows['never reading'].push(await stepTime(grains, steps, bareClient(false, counts)));
  }
  for (const [name, values] of Object.entries(rows)) {
    const cpu = values.map((value) => value.cpu);
    const share = values.map((value) => (100 * value.view) / value.step);
    console.log(
      `pile of ${grains}, client ${name}: ${median(cpu).toFixed(1)} ms of CPU per step (${cpu.map((v) => v.toFixed(1)).join(', ')}), ` +
        `the viewer's part in the simulation's thread ${median(share).toFixed(2)} % of a step`,
    );
  }
  const perBody = counts.bytes / counts.frames / grains;
  console.log(`the reading clients got ${counts.frames} frames of ${perBody.toFixed(1)} bytes per grain`);
}

const wanted = process.argv.slice(2);
const does = (name) => wanted.length === 0 || wanted.includes(name);
if (does('first')) await firstPicture();
if (does('script')) await scriptTime(await launch());
if (does('streaming')) await streaming();
process.exit(0);
