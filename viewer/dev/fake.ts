// A page with an invented simulation, for work on the page without the program:
//   node dev/build.mjs && chromium dev/out/index.html      (or ...html?mode=replay&bodies=20000)
import '../src/style.css';
import { startPage } from '../src/main';
import type { ClientMessage, Hello, Settings, ShapeSpec, Status } from '../src/protocol';
import type { Source, SourceEvents } from '../src/source';

const query = new URLSearchParams(location.search);
const kCount = Number(query.get('bodies') ?? 60);
const kMode = (query.get('mode') ?? 'live') as 'live' | 'replay';
const kPlanar = query.has('planar');
const kStepColumns = 'step time residual residual_worst iterations contacts penetration kinetic potential ms converged joint_error'.split(' ');
const kTrackColumns = 'body time x y z qw qx qy qz vx vy vz wx wy wz fx fy fz'.split(' ');

const octahedron: ShapeSpec = {
  kind: 'triangles',
  of: 'hull',
  vertices: [0.3, 0, 0, -0.3, 0, 0, 0, 0.3, 0, 0, -0.3, 0, 0, 0, 0.3, 0, 0, -0.3],
  triangles: [0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5],
};
const shapes: ShapeSpec[] = [
  { kind: 'half_space', normal: [0, 0, 1], offset: 0 },
  { kind: 'box', size: [0.5, 0.4, 0.3] },
  { kind: 'sphere', radius: 0.25 },
  { kind: 'capsule', radius: 0.12, length: 0.4 },
  { kind: 'cylinder', radius: 0.2, height: 0.4 },
  { kind: 'cone', radius: 0.25, height: 0.5 },
  { kind: 'ellipsoid', radii: [0.3, 0.2, 0.15] },
  octahedron,
];
const settings: Settings = {
  gravity: [0, 0, -9.81], solver: 'auto', law: 'coulomb', tolerance: 1e-4,
  materials: [{ name: 'default', friction: 0.5, restitution: 0, compliance: 0 }], pairs: [],
  parameters: [{ name: 'bricks', value: 1000, help: 'number of bricks' }],
};
const side = Math.ceil(Math.cbrt(kCount));

function pose(k: number, t: number): number[] {
  const [i, j, l] = [k % side, Math.floor(k / side) % side, Math.floor(k / side / side)];
  const angle = 0.6 * t + 0.3 * k;
  const bounce = Math.abs(Math.sin(1.5 * t + 0.2 * k)) * 0.5;
  return [i - side / 2, kPlanar ? l : j - side / 2, kPlanar ? 0 : l + 0.5 + bounce, Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];
}

function encode(step: number, number: number, watch: number[], contacts: boolean, velocities: boolean | 'full'): ArrayBuffer {
  const time = 0.01 * step;
  const parts: [number, Uint8Array][] = [];
  const section = (tag: number, ...arrays: ArrayBufferView[]): void => {
    const bytes = new Uint8Array(arrays.reduce((sum, a) => sum + a.byteLength, 0));
    let at = 0;
    for (const a of arrays) { bytes.set(new Uint8Array(a.buffer, a.byteOffset, a.byteLength), at); at += a.byteLength; }
    parts.push([tag, bytes]);
  };
  const position = new Float32Array(3 * kCount);
  const orientation = new Int16Array(4 * kCount);
  for (let k = 0; k < kCount; ++k) {
    const p = pose(k, time);
    position.set(p.slice(0, 3), 3 * k);
    orientation.set(p.slice(3).map((x) => Math.round(32767 * x)), 4 * k);
  }
  section(1, Uint32Array.of(kCount, 0), position, orientation);
  if (velocities) {
    const v = new Float32Array(6 * kCount);
    for (let k = 0; k < kCount; ++k) v[3 * k + 2] = 0.75 * Math.cos(1.5 * time + 0.2 * k) * (k % 7);
    section(6, v);
  }
  if (contacts) {
    const n = Math.min(kCount, side * side);
    const point = new Float32Array(3 * n), normal = new Float32Array(3 * n), force = new Float32Array(3 * n);
    for (let k = 0; k < n; ++k) {
      const p = pose(k, time);
      point.set([p[0], p[1], 0], 3 * k);
      normal.set([0, 0, 1], 3 * k);
      force.set([20 * Math.sin(k), 10, 100 * (1 + Math.sin(time + k))], 3 * k);
    }
    section(3, Uint32Array.of(n, 0), new Int32Array(n), Int32Array.from({ length: n }, (_, k) => k + 1), point, normal, force,
      new Float32Array(n).fill(-1e-5), Float32Array.from({ length: n }, (_, k) => 10 ** (-6 + (k % 5))));
  }
  const kinetic = 100 * Math.sin(time) ** 2;
  section(4, Uint32Array.of(1, 12), Float64Array.of(step, time, 10 ** (-5 + Math.sin(time)), 1e-4, 40 + 20 * Math.sin(3 * time), 4 * kCount, 1e-5, kinetic, 300 - kinetic, 3, 1, 1e-6));
  if (watch.length) {
    const rows = watch.flatMap((body) => [body, time, ...pose(body - 1, time), 0, 0, Math.cos(time), 0, 0, 0.6, 0, 0, 9.81]);
    section(5, Uint32Array.of(watch.length, 18), Float64Array.from(rows));
  }
  const total = 32 + parts.reduce((sum, [, b]) => sum + 8 + 8 * Math.ceil(b.length / 8), 0);
  const out = new ArrayBuffer(total);
  const view = new DataView(out);
  view.setUint32(0, 1, true); view.setUint32(4, parts.length, true);
  view.setFloat64(8, time, true); view.setFloat64(16, step, true);
  view.setUint32(24, number, true); view.setUint32(28, kCount, true);
  let at = 32;
  for (const [tag, bytes] of parts) {
    view.setUint32(at, tag, true); view.setUint32(at + 4, bytes.length, true);
    new Uint8Array(out).set(bytes, at + 8);
    at += 8 + 8 * Math.ceil(bytes.length / 8);
  }
  return out;
}

class FakeSource implements Source {
  readonly isWhole = false;
  private events!: SourceEvents;
  private playing = true;
  private speed = 1;
  private step = 0;
  private wants = { contacts: false, velocities: false as boolean | 'full', watch: [] as number[] };

  start(events: SourceEvents): void {
    this.events = events;
    const n = kCount + 1;
    const hello: Hello = {
      type: 'hello', protocol: 1, mode: kMode, program: 'scree 0.0 (fake)',
      scene: { name: 'fake', description: 'Bodies that dance.', planar: kPlanar, gravity: [0, 0, -9.81], step: 0.01, time: 5, solver: 'auto', law: 'coulomb', tolerance: 1e-4 },
      bodies: {
        names: Array.from({ length: n }, (_, k) => (k === 0 ? 'ground' : `thing${k}`)),
        motion: 'f' + 'd'.repeat(kCount), mass: Array.from({ length: n }, (_, k) => (k === 0 ? 0 : 1 + (k % 4))),
        material: new Array(n).fill(0), color: Array.from({ length: n }, (_, k) => (k === 0 ? 0x8a8f94 : [-1, 0xc8553d, 0x5b8e7d, 0x4f7cac][k % 4])),
      },
      fixed: [0, 0, 0, 1, 0, 0, 0],
      parts: { body: Array.from({ length: n }, (_, k) => k), shape: Array.from({ length: n }, (_, k) => (k === 0 ? 0 : 1 + (k % 7))) },
      shapes,
      joints: Array.from({ length: Math.min(5, kCount - 1) }, (_, k) => ({
        name: `joint${k}`, kind: ['revolute', 'ball', 'fixed', 'prismatic', 'distance'][k], a: k === 4 ? -1 : k + 1, b: k + 2,
        frame_a: k === 4 ? [1, 1, 3, 1, 0, 0, 0] : [0.3, 0, 0, 0.7071, 0, 0.7071, 0], frame_b: [-0.3, 0, 0, 1, 0, 0, 0],
      })) as Hello['joints'],
      materials: settings.materials, pairs: [], parameters: settings.parameters,
      solvers: [{ name: 'auto', laws: ['coulomb', 'relaxed', 'none'] }, { name: 'jacobi', laws: ['coulomb'] }], laws: ['coulomb', 'relaxed', 'none'],
      columns: { steps: kStepColumns, track: kTrackColumns },
      bounds: { lower: [-side / 2, -side / 2, 0], upper: [side / 2, side / 2, side + 1] },
      can: ['control', 'drag', 'throw', 'set', 'restart'],
    };
    if (kMode === 'replay') hello.frames = { count: 500, complete: true, times: Array.from({ length: 500 }, (_, k) => 0.01 * k) };
    else hello.status = this.status();
    events.connection({ state: 'open' });
    setTimeout(() => events.text(hello), 50);
    if (kMode === 'live') setInterval(() => this.tick(), 16);
  }

  private status(): Status {
    return { type: 'status', playing: this.playing, ended: false, speed: this.speed, rate: 0.98, ms_per_step: 3.1, time: 0.01 * this.step,
      step: this.step, clients: 1, failure: '', settings };
  }

  private tick(): void {
    if (!this.playing) return;
    this.step += 2;
    const { contacts, velocities, watch } = this.wants;
    this.events.frame(encode(this.step, this.step, watch, contacts, velocities));
    if (this.step % 60 === 0) this.events.text(this.status());
  }

  send(message: ClientMessage): void {
    setTimeout(() => this.answer(message), 5);
  }

  private answer(message: ClientMessage): void {
    const { contacts, velocities, watch } = this.wants;
    switch (message.type) {
      case 'want': this.wants = message; break;
      case 'play': this.playing = true; this.events.text(this.status()); break;
      case 'pause': this.playing = false; this.events.text(this.status()); break;
      case 'speed': this.speed = message.factor; this.events.text(this.status()); break;
      case 'step': this.step += message.count; this.playing = false; this.events.text(this.status());
        this.events.frame(encode(this.step, this.step, watch, contacts, velocities)); break;
      case 'frames':
        for (let k = 0; k < message.count; ++k) this.events.frame(encode(message.from + k, message.from + k, [], contacts, velocities));
        break;
      case 'steps': this.events.text({ type: 'steps', columns: kStepColumns,
        rows: Array.from({ length: 500 }, (_, k) => [k, 0.01 * k, 10 ** (-5 + Math.sin(k / 40)), 1e-3, 30, 100, 1e-5, k, 500 - k, 3, 1, 1e-6]) }); break;
      case 'track': this.events.text({ type: 'track', body: message.body, columns: kTrackColumns,
        rows: Array.from({ length: 500 }, (_, k) => [message.body, 0.01 * k, ...pose(message.body - 1, 0.01 * k), 0, 0, Math.cos(k / 100), 0, 0, 0.6, 0, 0, 9.81]) }); break;
      case 'ack': break;
      default: this.events.text({ type: 'error', message: `not in this invented simulation: ${JSON.stringify(message)}` });
    }
  }
}

const { app } = startPage(new FakeSource());
(window as unknown as { app: unknown }).app = app;
