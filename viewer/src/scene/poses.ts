// Where every body is, once for script and once for the graphics card.
//
// The card does the work: a texture holds the pose of every body, and the shaders of bodies and overlays put
// their vertices there. A new frame costs one pass over the bodies and one upload, whatever is drawn of them.
import { DataTexture, FloatType, NearestFilter, RGBAFormat } from 'three';
import type { Frame } from '../protocol';
import type { SceneTable } from '../scene_table';

const kRow = 512; // slots in a row of the texture, two texels each; the shader knows it as well

/** Slot 0 is the world; body b has slot b + 1. */
export const slotOf = (body: number): number => body + 1;

/** GLSL: reads a pose and applies it. Needs `uniform sampler2D poses` from Poses.uniform. */
export const POSE_GLSL = /* glsl */ `
uniform highp sampler2D poses;
vec3 turn(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
void readPose(float slot, out vec4 at, out vec4 turned) {
  int s = int(slot + 0.5);
  ivec2 texel = ivec2((s & 511) << 1, s >> 9);
  at = texelFetch(poses, texel, 0);
  turned = texelFetch(poses, texel + ivec2(1, 0), 0);
}
`;

export class Poses {
  /** Eight numbers per slot: x, y, z, shown (1 or 0), qx, qy, qz, qw. */
  data = new Float32Array(0);
  count = 0; // bodies
  readonly uniform: { value: DataTexture };
  private movingSlot = new Int32Array(0);

  constructor() {
    this.uniform = { value: makeTexture(this.allocate(1), 1) };
  }

  /** Room for all bodies of the scene; fixed ones get their places, the others are hidden until a frame has them. */
  setScene(scene: SceneTable): void {
    this.count = scene.bodies.length;
    const rows = Math.ceil((this.count + 1) / kRow);
    const before = this.uniform.value;
    if (rows !== before.image.height) {
      before.dispose();
      this.uniform.value = makeTexture(this.allocate(rows), rows);
    }
    this.data.fill(0);
    this.data[3] = 1;
    this.data[7] = 1;
    this.movingSlot = Int32Array.from(scene.moving, slotOf);
    scene.bodies.forEach((body, index) => {
      if (body.moving >= 0) return;
      const [x, y, z, qw, qx, qy, qz] = scene.fixedPose(index);
      this.data.set([x, y, z, 1, qx, qy, qz, qw], 8 * slotOf(index));
    });
    this.uniform.value.needsUpdate = true;
  }

  setFrame(frame: Frame): void {
    const { position, orientation } = frame;
    const { data, movingSlot } = this;
    const known = Math.min(movingSlot.length, frame.moving);
    for (let m = 0; m < known; ++m) {
      const at = 8 * movingSlot[m];
      const p = 3 * m;
      const q = 4 * m;
      const w = orientation[q];
      const x = orientation[q + 1];
      const y = orientation[q + 2];
      const z = orientation[q + 3];
      const scale = 1 / (Math.sqrt(w * w + x * x + y * y + z * z) || 1);
      data[at] = position[p];
      data[at + 1] = position[p + 1];
      data[at + 2] = position[p + 2];
      data[at + 3] = 1;
      data[at + 4] = x * scale;
      data[at + 5] = y * scale;
      data[at + 6] = z * scale;
      data[at + 7] = w * scale;
    }
    // A frame from before a ball was thrown does not know it.
    for (let m = known; m < movingSlot.length; ++m) data[8 * movingSlot[m] + 3] = 0;
    this.uniform.value.needsUpdate = true;
  }

  isShown(body: number): boolean {
    return this.data[8 * slotOf(body) + 3] > 0;
  }

  /** From the body frame to the world. `out` may be `local`. */
  toWorld(body: number, local: ArrayLike<number>, out: number[]): number[] {
    const at = 8 * slotOf(body);
    rotate(this.data, at + 4, 1, local[0], local[1], local[2], out);
    out[0] += this.data[at];
    out[1] += this.data[at + 1];
    out[2] += this.data[at + 2];
    return out;
  }

  toLocal(body: number, world: ArrayLike<number>, out: number[]): number[] {
    const at = 8 * slotOf(body);
    const d = this.data;
    rotate(d, at + 4, -1, world[0] - d[at], world[1] - d[at + 1], world[2] - d[at + 2], out);
    return out;
  }

  dispose(): void {
    this.uniform.value.dispose();
  }

  private allocate(rows: number): Float32Array<ArrayBuffer> {
    const data = new Float32Array(8 * kRow * rows);
    this.data = data;
    return data;
  }
}

/** Turns (x, y, z) by the quaternion x, y, z, w at `at`, or by its conjugate when `sign` is -1. */
export function rotate(q: ArrayLike<number>, at: number, sign: number, x: number, y: number, z: number, out: number[]): void {
  const a = sign * q[at];
  const b = sign * q[at + 1];
  const c = sign * q[at + 2];
  const w = q[at + 3];
  const u = 2 * (b * z - c * y);
  const v = 2 * (c * x - a * z);
  const t = 2 * (a * y - b * x);
  out[0] = x + w * u + b * t - c * v;
  out[1] = y + w * v + c * u - a * t;
  out[2] = z + w * t + a * v - b * u;
}

function makeTexture(data: Float32Array<ArrayBuffer>, rows: number): DataTexture {
  const texture = new DataTexture(data, 2 * kRow, rows, RGBAFormat, FloatType);
  texture.minFilter = texture.magFilter = NearestFilter;
  return texture;
}
