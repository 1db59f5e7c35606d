// A ball from the camera into the scene.
import type { ClientMessage, Vec3 } from '../protocol';
import type { CameraRig, Ray } from './camera';

const kDensity = 2000; // kg/m3, stone

/** `size`: of the scene, m; the ball crosses it in half a second. `aim`: a point on the ray to be hit. */
export function throwMessage(rig: CameraRig, ray: Ray, aim: Vec3 | null, size: number, planar: boolean): ClientMessage {
  const radius = 0.03 * size;
  const speed = 2 * size;
  if (planar) {
    // In the plane of the scene, from the upper left: along the view it would leave it.
    const t = -ray.origin[2] / (ray.direction[2] || -1);
    const goal = ray.origin.map((o, d) => o + t * ray.direction[d]);
    const direction: Vec3 = [0.94, -0.34, 0];
    const position: Vec3 = [goal[0] - 0.5 * size * direction[0], goal[1] - 0.5 * size * direction[1], 0];
    return { type: 'throw', position, velocity: direction.map((x) => speed * x) as Vec3, radius, density: kDensity };
  }
  const goal = aim ?? rig.onFacingPlane(ray, rig.target);
  const distance = Math.hypot(...goal.map((g, d) => g - ray.origin[d]));
  // Far cameras throw from a place nearer to the scene, and never from inside the ball's own radius.
  const ahead = Math.max(2 * radius, distance - size);
  const position = ray.origin.map((o, d) => o + Math.min(ahead, 0.9 * distance) * ray.direction[d]) as Vec3;
  return { type: 'throw', position, velocity: ray.direction.map((x) => speed * x) as Vec3, radius, density: kDensity };
}
