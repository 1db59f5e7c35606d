// Fixed bodies that stand between the viewer and what moves, such as the near walls of a box of grains.
//
// They are drawn as edges only, and the pointer goes through them.
import { Vector3 } from 'three';
import type { SceneTable } from '../scene_table';
import type { CameraRig } from './camera';
import type { PartTable } from './parts';
import { slotOf } from './poses';
import type { Poses } from './poses';
import { distanceToPart } from './raycast';

const kSample = 64; // moving bodies that are looked for
const kMostParts = 60; // more is a landscape, not a container
const kHides = 0.1; // of the sample, then a body is in the way;
const kFrees = 0.05; // below, it is not any more
const kGolden = (Math.sqrt(5) - 1) / 2;

export class Obstacles {
  bodies: ReadonlySet<number> = new Set();
  private parts: number[] = []; // of fixed bodies
  private sample: number[] = [];

  setScene(scene: SceneTable, table: PartTable): void {
    this.bodies = new Set();
    const isSolid = (p: number): boolean => scene.bodies[table.body[p]].moving < 0 && table.ball[4 * p + 3] !== Infinity;
    const fixed = Array.from({ length: table.count }, (_, p) => p).filter(isSolid);
    this.parts = scene.hello.scene.planar || fixed.length > kMostParts ? [] : fixed;
    this.sample = scattered(scene.moving);
  }

  /** True: others are in the way now. */
  update(rig: CameraRig, table: PartTable, poses: Poses): boolean {
    if (this.parts.length === 0) return false;
    const hidden = this.countHidden(rig, table, poses);
    const isIn = (body: number, count: number): boolean =>
      count >= (this.bodies.has(body) ? kFrees : kHides) * this.sample.length;
    const found = new Set([...hidden].filter(([body, count]) => isIn(body, count)).map(([body]) => body));
    const isSame = found.size === this.bodies.size && [...found].every((body) => this.bodies.has(body));
    if (!isSame) this.bodies = found;
    return !isSame;
  }

  /** How many of the sample each fixed body hides. */
  private countHidden(rig: CameraRig, table: PartTable, poses: Poses): Map<number, number> {
    const counts = new Map<number, number>();
    const point = new Vector3();
    for (const body of this.sample) {
      const at = 8 * slotOf(body);
      point.set(poses.data[at], poses.data[at + 1], poses.data[at + 2]);
      if (!poses.isShown(body) || !rig.project(point)) continue;
      const ray = rig.ray(point.x, point.y);
      const away = [0, 1, 2].reduce((sum, d) => sum + (poses.data[at + d] - ray.origin[d]) * ray.direction[d], 0);
      const hiding = this.parts.filter((p) => distanceToPart(ray, table, poses, p) < away - table.reach[body]);
      for (const other of new Set(hiding.map((p) => table.body[p]))) counts.set(other, (counts.get(other) ?? 0) + 1);
    }
    return counts;
  }
}

/** Some of the bodies: by the golden ratio, as even strides would meet the same row of a lattice again and again. */
function scattered(bodies: readonly number[]): number[] {
  if (bodies.length <= kSample) return [...bodies];
  return Array.from({ length: kSample }, (_, k) => bodies[Math.floor(((k * kGolden) % 1) * bodies.length)]);
}
