// How large the scene is, and where its bodies are now.
import type { Vec3 } from '../protocol';
import type { SceneTable } from '../scene_table';
import type { Extent } from './camera';
import type { PartTable } from './parts';
import { slotOf } from './poses';
import type { Poses } from './poses';

const kRunaway = 8; // times as far out as 95 % of the others

export function sceneExtent(scene: SceneTable): Extent {
  const { lower, upper } = scene.hello.bounds;
  const isUsable = [...lower, ...upper].every(Number.isFinite) && lower.every((low, d) => low <= upper[d]);
  if (!isUsable) return { middle: [0, 0, 0], radius: 1, half: [0.6, 0.6, 0.6] };
  const middle = lower.map((low, d) => (low + upper[d]) / 2) as Vec3;
  const half = lower.map((low, d) => (upper[d] - low) / 2) as Vec3;
  const radius = Math.hypot(...half);
  return radius > 0 ? { middle, radius, half } : { middle, radius: 1, half: [0.6, 0.6, 0.6] };
}

/** The box around some bodies where they are now. Those that fell out of the scene do not count. */
export function extentOf(bodies: readonly number[], parts: PartTable, poses: Poses): Extent | null {
  const { data } = poses;
  const shown = bodies.filter((body) => {
    const at = 8 * slotOf(body);
    return data[at + 3] > 0 && Number.isFinite(data[at] + data[at + 1] + data[at + 2]);
  });
  if (shown.length === 0) return null;
  const coordinate = (d: number): Float32Array => Float32Array.from(shown, (body) => data[8 * slotOf(body) + d]).sort();
  const median = [0, 1, 2].map((d) => coordinate(d)[shown.length >> 1]);
  const away = (body: number): number => {
    const at = 8 * slotOf(body);
    return Math.hypot(data[at] - median[0], data[at + 1] - median[1], data[at + 2] - median[2]) + parts.reach[body];
  };
  const distances = Float32Array.from(shown, away).sort();
  const limit = kRunaway * distances[Math.floor(0.95 * (shown.length - 1))];
  return boxAround(shown.filter((body) => away(body) <= limit), parts, data);
}

function boxAround(bodies: number[], parts: PartTable, data: Float32Array): Extent {
  const lower = [Infinity, Infinity, Infinity];
  const upper = [-Infinity, -Infinity, -Infinity];
  for (const body of bodies) {
    const at = 8 * slotOf(body);
    for (let d = 0; d < 3; ++d) {
      lower[d] = Math.min(lower[d], data[at + d] - parts.reach[body]);
      upper[d] = Math.max(upper[d], data[at + d] + parts.reach[body]);
    }
  }
  const middle = lower.map((low, d) => (low + upper[d]) / 2) as Vec3;
  const half = lower.map((low, d) => (upper[d] - low) / 2) as Vec3;
  return { middle, radius: Math.hypot(...half), half };
}
