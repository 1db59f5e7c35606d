// Where a body is and how it moves at the time shown: from its track, which has all bits, or else from the frame.
import { contactForce } from '../app';
import type { App } from '../app';
import type { Vec3 } from '../protocol';
import { rowAt } from './receipts';

export interface BodyState {
  time: number;
  position: Vec3;
  orientation: [number, number, number, number]; // w, x, y, z
  velocity: Vec3 | null; // of the centre of mass
  spin: Vec3 | null;
  force: Vec3 | null; // sum of contact forces
  isExact: boolean;
}

export function bodyState(app: App, body: number): BodyState | null {
  const scene = app.scene.value;
  const frame = app.frame.value;
  const info = scene?.bodies[body];
  if (!scene || !frame || !info) return null;
  const sum = frame.contacts ? contactForce(frame, body) : null;
  if (info.moving < 0) {
    const [x, y, z, ...q] = scene.fixedPose(body);
    const zero = (): Vec3 => [0, 0, 0];
    return { time: frame.time, position: [x, y, z], orientation: q, velocity: zero(), spin: zero(), force: sum, isExact: true };
  }
  return fromTrack(app, body, frame.time) ?? fromFrame(app, info.moving, sum);
}

/** A row of another time is not taken: it would not be what the picture shows. */
function fromTrack(app: App, body: number, time: number): BodyState | null {
  const track = app.tracks.get(body);
  const row = track && rowAt(track, time);
  if (!track || !row) return null;
  const take = (names: string): number[] => names.split(' ').map((name) => row[track.columns.indexOf(name)] ?? NaN);
  const [rowTime] = take('time');
  if (Math.abs(rowTime - time) > 1e-9 * Math.max(1, Math.abs(time))) return null;
  const isWide = take('x y z vx vy vz').some((value) => Math.fround(value) !== value);
  const known = (values: number[]): Vec3 | null => (values.some(Number.isNaN) ? null : (values as Vec3));
  return {
    time: rowTime,
    position: take('x y z') as Vec3,
    orientation: take('qw qx qy qz') as BodyState['orientation'],
    velocity: known(take('vx vy vz')),
    spin: known(take('wx wy wz')),
    force: known(take('fx fy fz')),
    // The page makes tracks from its frames where nobody sends them: in an export, and for the time before the selection.
    isExact: app.isLive ? isWide : !app.source.isWhole,
  };
}

function fromFrame(app: App, at: number, force: Vec3 | null): BodyState | null {
  const frame = app.frame.value!;
  if (at >= frame.moving) return null;
  const three = (values: Float32Array | undefined): Vec3 | null =>
    values ? ([...values.subarray(3 * at, 3 * at + 3)] as Vec3) : null;
  const q = [...frame.orientation.subarray(4 * at, 4 * at + 4)];
  const length = Math.hypot(...q) || 1;
  return {
    time: frame.time,
    position: three(frame.position)!,
    orientation: q.map((x) => x / length) as BodyState['orientation'],
    velocity: three(frame.velocity),
    spin: three(frame.spin),
    force,
    isExact: false,
  };
}

export function dot(a: Vec3, b: Vec3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function rotate([w, x, y, z]: BodyState['orientation'], v: Vec3): Vec3 {
  // v + 2 u x (u x v + w v), u the vector part
  const c: Vec3 = [y * v[2] - z * v[1] + w * v[0], z * v[0] - x * v[2] + w * v[1], x * v[1] - y * v[0] + w * v[2]];
  return [v[0] + 2 * (y * c[2] - z * c[1]), v[1] + 2 * (z * c[0] - x * c[2]), v[2] + 2 * (x * c[1] - y * c[0])];
}

/** Angle in degrees, 0 to 180, and the axis. */
export function axisAngle([w, x, y, z]: BodyState['orientation']): { angle: number; axis: Vec3 } {
  const sign = w < 0 ? -1 : 1;
  const length = Math.hypot(x, y, z);
  const angle = (2 * Math.atan2(length, sign * w) * 180) / Math.PI;
  return { angle, axis: length > 1e-12 ? [(sign * x) / length, (sign * y) / length, (sign * z) / length] : [0, 0, 1] };
}

/** Roll, pitch, yaw in degrees: turns about the fixed x, then y, then z. */
export function rollPitchYaw([w, x, y, z]: BodyState['orientation']): Vec3 {
  const degrees = 180 / Math.PI;
  const sine = Math.max(-1, Math.min(1, 2 * (w * y - z * x)));
  return [
    degrees * Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    degrees * Math.asin(sine),
    degrees * Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  ];
}

export function gravityOf(app: App): Vec3 {
  return app.status.value?.settings.gravity ?? app.scene.value?.hello.scene.gravity ?? [0, 0, 0];
}
