// The parts of the scene as flat columns, for loops over many of them.
import type { ShapeSpec } from '../protocol';
import type { SceneTable } from '../scene_table';
import { rotate } from './poses';

/** The box of a shape in its own frame: middle and half edges; infinite for a half-space. */
export interface ShapeBox {
  middle: [number, number, number];
  half: [number, number, number];
  radius: number; // of a ball around `middle` that holds the shape
}

export class PartTable {
  readonly count: number;
  readonly body: Int32Array;
  readonly shape: Int32Array;
  readonly at: Float32Array; // 3 each, in the body frame
  readonly turn: Float32Array; // x, y, z, w
  readonly boxes: ShapeBox[]; // of each shape
  readonly ball: Float32Array; // in the body frame: middle and radius; radius Infinity: a half-space
  /** Reach of each body: no point of it is further from the origin of its frame; half-spaces left out. */
  readonly reach: Float32Array;

  constructor(readonly scene: SceneTable) {
    const { parts, shapes } = scene;
    this.count = parts.length;
    this.body = Int32Array.from(parts, (part) => part.body);
    this.shape = Int32Array.from(parts, (part) => part.shape);
    this.at = new Float32Array(3 * this.count);
    this.turn = new Float32Array(4 * this.count);
    this.ball = new Float32Array(4 * this.count);
    this.reach = new Float32Array(scene.bodies.length);
    this.boxes = shapes.map(boxOf);
    const middle = [0, 0, 0];
    parts.forEach(({ body, shape, pose }, p) => {
      this.at.set(pose.slice(0, 3), 3 * p);
      this.turn.set([pose[4], pose[5], pose[6], pose[3]], 4 * p);
      const box = this.boxes[shape];
      rotate(this.turn, 4 * p, 1, ...box.middle, middle);
      for (let d = 0; d < 3; ++d) this.ball[4 * p + d] = middle[d] + this.at[3 * p + d];
      this.ball[4 * p + 3] = box.radius;
      if (box.radius === Infinity) return;
      const away = Math.hypot(this.ball[4 * p], this.ball[4 * p + 1], this.ball[4 * p + 2]) + box.radius;
      this.reach[body] = Math.max(this.reach[body], away);
    });
  }
}

function boxOf(shape: ShapeSpec): ShapeBox {
  const at = (x: number, y: number, z: number, radius?: number): ShapeBox => ({
    middle: [0, 0, 0],
    half: [x, y, z],
    radius: radius ?? Math.hypot(x, y, z),
  });
  switch (shape.kind) {
    case 'sphere':
      return at(shape.radius, shape.radius, shape.radius, shape.radius);
    case 'box':
      return at(shape.size[0] / 2, shape.size[1] / 2, shape.size[2] / 2);
    case 'capsule':
      return at(shape.radius, shape.radius, shape.radius + shape.length / 2, shape.radius + shape.length / 2);
    case 'cylinder':
    case 'cone':
      return at(shape.radius, shape.radius, shape.height / 2, Math.hypot(shape.radius, shape.height / 2));
    case 'ellipsoid':
      return at(...shape.radii, Math.max(...shape.radii));
    case 'half_space':
      return at(Infinity, Infinity, Infinity, Infinity);
    case 'triangles':
      return boxOfPoints(shape.vertices);
  }
}

function boxOfPoints(points: number[]): ShapeBox {
  const lower = [Infinity, Infinity, Infinity];
  const upper = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < points.length; ++k) {
    lower[k % 3] = Math.min(lower[k % 3], points[k]);
    upper[k % 3] = Math.max(upper[k % 3], points[k]);
  }
  const middle = lower.map((low, d) => (low + upper[d]) / 2) as [number, number, number];
  const half = lower.map((low, d) => (upper[d] - low) / 2) as [number, number, number];
  let radius = 0;
  for (let k = 0; k < points.length; k += 3) {
    radius = Math.max(radius, Math.hypot(points[k] - middle[0], points[k + 1] - middle[1], points[k + 2] - middle[2]));
  }
  return { middle, half, radius };
}
