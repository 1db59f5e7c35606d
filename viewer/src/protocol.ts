// The messages of docs/viewer-protocol.md: their types, and frames from bytes.

export const PROTOCOL = 1;

export type Vec3 = [number, number, number];
/** x, y, z, qw, qx, qy, qz */
export type Pose = [number, number, number, number, number, number, number];

export type ShapeSpec =
  | { kind: 'sphere'; radius: number }
  | { kind: 'box'; size: Vec3 }
  | { kind: 'capsule'; radius: number; length: number }
  | { kind: 'cylinder'; radius: number; height: number }
  | { kind: 'cone'; radius: number; height: number }
  | { kind: 'ellipsoid'; radii: Vec3 }
  | { kind: 'half_space'; normal: Vec3; offset: number }
  | {
      kind: 'triangles';
      vertices: number[];
      triangles: number[];
      of: 'hull' | 'mesh' | 'height_field' | 'polygon';
    };

export interface BodyColumns {
  names: string[];
  motion: string; // one letter each: d, k, f
  mass: number[];
  material: number[];
  color: number[]; // 0xrrggbb, -1: none given
  center_of_mass?: number[];
}

export interface PartColumns {
  body: number[];
  shape: number[];
  pose?: number[];
}

export interface JointSpec {
  name: string;
  kind: string;
  a: number;
  b: number;
  frame_a: Pose;
  frame_b: Pose;
}

export interface MaterialSpec {
  name: string;
  friction: number;
  restitution: number;
  compliance: number; // m/N
}

export interface PairSpec {
  a: string;
  b: string;
  friction: number;
  restitution: number;
  compliance: number; // m/N
}

export interface ParameterSpec {
  name: string;
  value: number;
  help: string;
}

export interface Settings {
  gravity: Vec3;
  solver: string;
  law: string;
  tolerance: number;
  materials: MaterialSpec[];
  pairs: PairSpec[];
  parameters: ParameterSpec[];
}

export interface Status {
  type: 'status';
  playing: boolean;
  ended: boolean;
  speed: number;
  rate: number;
  ms_per_step: number;
  time: number;
  step: number;
  clients: number;
  failure: string;
  settings: Settings;
}

export type Ability = 'control' | 'drag' | 'throw' | 'set' | 'restart';

export interface Hello {
  type: 'hello';
  protocol: number;
  mode: 'live' | 'replay';
  program: string;
  scene: {
    name: string;
    description: string;
    planar: boolean;
    gravity: Vec3;
    step: number;
    time: number;
    solver: string;
    law: string;
    tolerance: number;
  };
  bodies: BodyColumns;
  fixed: number[];
  parts: PartColumns;
  shapes: ShapeSpec[];
  joints: JointSpec[];
  materials: MaterialSpec[];
  pairs: PairSpec[];
  parameters: ParameterSpec[];
  solvers: { name: string; laws: string[] }[];
  laws: string[];
  columns: { steps: string[]; track: string[] };
  bounds: { lower: Vec3; upper: Vec3 };
  can: Ability[];
  frames?: { count: number; complete: boolean; times: number[] };
  status?: Status;
}

export interface BodiesAdded {
  type: 'bodies';
  bodies: BodyColumns;
  parts: PartColumns;
  shapes: ShapeSpec[];
}

export interface FramesGrown {
  type: 'frames';
  count: number;
  complete: boolean;
  times: number[];
}

export interface Rows {
  columns: string[];
  rows: number[][];
}

export type ServerMessage =
  | Hello
  | BodiesAdded
  | Status
  | FramesGrown
  | ({ type: 'track'; body: number } & Rows)
  | ({ type: 'steps' } & Rows)
  | { type: 'error'; message: string; about?: string; id?: number };

export type ClientMessage =
  | { type: 'want'; contacts: boolean; velocities: boolean | 'full'; watch: number[] }
  | { type: 'ack'; sequence: number }
  | { type: 'frames'; from: number; count: number; stride: number }
  | { type: 'steps' }
  | { type: 'track'; body: number }
  | { type: 'play' }
  | { type: 'pause' }
  | { type: 'step'; count: number }
  | { type: 'speed'; factor: number }
  | { type: 'reset' }
  | { type: 'drag'; body: number; point: Vec3; target: Vec3 }
  | { type: 'release' }
  | { type: 'throw'; position: Vec3; velocity: Vec3; radius: number; density: number }
  | {
      type: 'set';
      gravity?: Vec3;
      solver?: string;
      law?: string;
      tolerance?: number;
      material?: { name: string; friction?: number; restitution?: number };
      pair?: { a: string; b: string; friction?: number; restitution?: number };
    }
  | { type: 'restart'; parameters: Record<string, number> };

/** The contacts of one frame as columns. */
export interface ContactTable {
  count: number;
  a: Int32Array;
  b: Int32Array;
  point: Float32Array; // 3 each, m
  normal: Float32Array; // 3 each, from a to b
  force: Float32Array; // 3 each, N, on b
  gap: Float32Array; // m
  residual: Float32Array; // relative, NaN: not known
}

/** Numbers in rows of the same width. */
export interface RowBlock {
  rows: number;
  columns: number;
  data: Float64Array;
}

/** A frame with the pose of every moving body. Nobody changes one after it was made. */
export interface Frame {
  time: number; // s
  step: number;
  number: number; // live: sequence; replay: index
  moving: number;
  position: Float32Array; // 3 each, m
  orientation: Int16Array; // 4 each: 32767 times w, x, y, z
  velocity?: Float32Array; // 3 each, m/s
  spin?: Float32Array; // 3 each, rad/s
  contacts?: ContactTable;
  steps?: RowBlock;
  track?: RowBlock;
}

const kPoses = 1;
const kVelocities = 2;
const kContacts = 3;
const kSteps = 4;
const kTrack = 5;
const kVelocities32 = 6;

let halfTable: Float32Array | null = null;

function halfFloats(): Float32Array {
  if (halfTable) return halfTable;
  halfTable = new Float32Array(65536);
  for (let bits = 0; bits < 65536; ++bits) {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    if (exponent === 0) halfTable[bits] = sign * fraction * 2 ** -24;
    else if (exponent === 31) halfTable[bits] = fraction ? NaN : sign * Infinity;
    else halfTable[bits] = sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  }
  return halfTable;
}

function readPoses(bytes: ArrayBuffer, at: number, frame: Frame, before: Frame | null): void {
  const [count, isPartial] = new Uint32Array(bytes, at, 2);
  let next = at + 8;
  if (!isPartial) {
    frame.position = new Float32Array(bytes.slice(next, next + 12 * count));
    next += 12 * count;
    frame.orientation = new Int16Array(bytes.slice(next, next + 8 * count));
    return;
  }
  if (!before) throw new Error('a frame of changes came before a whole one');
  const index = new Uint32Array(bytes, next, count);
  next += 4 * count;
  const position = new Float32Array(bytes, next, 3 * count);
  next += 12 * count;
  const orientation = new Int16Array(bytes, next, 4 * count);
  frame.position = new Float32Array(3 * frame.moving);
  frame.position.set(before.position.subarray(0, 3 * frame.moving));
  frame.orientation = new Int16Array(4 * frame.moving);
  frame.orientation.set(before.orientation.subarray(0, 4 * frame.moving));
  for (let k = 0; k < count; ++k) {
    const body = index[k];
    for (let d = 0; d < 3; ++d) frame.position[3 * body + d] = position[3 * k + d];
    for (let d = 0; d < 4; ++d) frame.orientation[4 * body + d] = orientation[4 * k + d];
  }
}

function readContacts(bytes: ArrayBuffer, at: number): ContactTable {
  const count = new Uint32Array(bytes, at, 1)[0];
  let next = at + 8;
  const take = (width: number): ArrayBuffer => {
    const part = bytes.slice(next, next + 4 * width * count);
    next += 4 * width * count;
    return part;
  };
  return {
    count,
    a: new Int32Array(take(1)),
    b: new Int32Array(take(1)),
    point: new Float32Array(take(3)),
    normal: new Float32Array(take(3)),
    force: new Float32Array(take(3)),
    gap: new Float32Array(take(1)),
    residual: new Float32Array(take(1)),
  };
}

function readRows(bytes: ArrayBuffer, at: number): RowBlock {
  const [rows, columns] = new Uint32Array(bytes, at, 2);
  return { rows, columns, data: new Float64Array(bytes.slice(at + 8, at + 8 + 8 * rows * columns)) };
}

/** `before` is the frame that came last from the same source: partial poses are changes to it. */
export function decodeFrame(bytes: ArrayBuffer, before: Frame | null): Frame {
  const view = new DataView(bytes);
  if (bytes.byteLength < 32 || view.getUint32(0, true) !== 1) throw new Error('not a frame');
  const frame: Frame = {
    time: view.getFloat64(8, true),
    step: view.getFloat64(16, true),
    number: view.getUint32(24, true),
    moving: view.getUint32(28, true),
    position: new Float32Array(0),
    orientation: new Int16Array(0),
  };
  let at = 32;
  for (let left = view.getUint32(4, true); left > 0; --left) {
    const tag = view.getUint32(at, true);
    const length = view.getUint32(at + 4, true);
    const payload = at + 8;
    if (tag === kPoses) readPoses(bytes, payload, frame, before);
    else if (tag === kContacts) frame.contacts = readContacts(bytes, payload);
    else if (tag === kSteps) frame.steps = readRows(bytes, payload);
    else if (tag === kTrack) frame.track = readRows(bytes, payload);
    else if (tag === kVelocities) {
      const table = halfFloats();
      const half = new Uint16Array(bytes, payload, 6 * frame.moving);
      const all = Float32Array.from(half, (bits) => table[bits]);
      frame.velocity = all.subarray(0, 3 * frame.moving);
      frame.spin = all.subarray(3 * frame.moving);
    } else if (tag === kVelocities32) {
      const all = new Float32Array(bytes.slice(payload, payload + 24 * frame.moving));
      frame.velocity = all.subarray(0, 3 * frame.moving);
      frame.spin = all.subarray(3 * frame.moving);
    }
    at = payload + 8 * Math.ceil(length / 8);
  }
  return frame;
}
