// Which body a ray meets first, and where. Balls around the parts sort out almost all of them; the rest is exact.
import type { ShapeSpec, Vec3 } from '../protocol';
import type { Ray } from './camera';
import type { PartTable } from './parts';
import { rotate, slotOf } from './poses';
import type { Poses } from './poses';

export interface Hit {
  body: number;
  distance: number; // m
  point: Vec3; // world
}

/** `passed`: bodies that it goes through. */
export function raycast(ray: Ray, parts: PartTable, poses: Poses, passed: ReadonlySet<number>): Hit | null {
  const { body, ball } = parts;
  const { data } = poses;
  const [ox, oy, oz] = ray.origin;
  const [dx, dy, dz] = ray.direction;
  const middle = [0, 0, 0];
  let best = Infinity;
  let found = -1;
  for (let p = 0; p < parts.count; ++p) {
    const radius = ball[4 * p + 3];
    const slot = 8 * slotOf(body[p]);
    // The ground is everywhere; who presses on it means none of the bodies.
    if (radius === Infinity || data[slot + 3] === 0 || passed.has(body[p])) continue;
    rotate(data, slot + 4, 1, ball[4 * p], ball[4 * p + 1], ball[4 * p + 2], middle);
    const x = middle[0] + data[slot] - ox;
    const y = middle[1] + data[slot + 1] - oy;
    const z = middle[2] + data[slot + 2] - oz;
    const along = x * dx + y * dy + z * dz;
    if (along + radius < 0 || along - radius > best) continue;
    if (!(x * x + y * y + z * z - along * along <= radius * radius)) continue;
    const distance = distanceToPart(ray, parts, poses, p);
    if (distance < best) {
      best = distance;
      found = body[p];
    }
  }
  if (found < 0) return null;
  return { body: found, distance: best, point: [ox + best * dx, oy + best * dy, oz + best * dz] };
}

/** Along the ray, m; Infinity: it misses. */
export function distanceToPart(ray: Ray, parts: PartTable, poses: Poses, p: number): number {
  const origin = [0, 0, 0];
  const direction = [0, 0, 0];
  const slot = 8 * slotOf(parts.body[p]);
  poses.toLocal(parts.body[p], ray.origin, origin);
  rotate(poses.data, slot + 4, -1, ...ray.direction, direction);
  const [x, y, z] = [0, 1, 2].map((d) => origin[d] - parts.at[3 * p + d]);
  rotate(parts.turn, 4 * p, -1, x, y, z, origin);
  rotate(parts.turn, 4 * p, -1, direction[0], direction[1], direction[2], direction);
  return hitShape(origin, direction, parts.scene.shapes[parts.shape[p]]);
}

/** Distance along the ray to the surface in front of its origin; Infinity: it misses. */
function hitShape(o: number[], d: number[], shape: ShapeSpec): number {
  switch (shape.kind) {
    case 'sphere':
      return hitEllipsoid(o, d, [shape.radius, shape.radius, shape.radius]);
    case 'ellipsoid':
      return hitEllipsoid(o, d, shape.radii);
    case 'box':
      return hitBox(o, d, shape.size);
    case 'capsule': {
      const half = shape.length / 2;
      const ball = (z: number): number => hitEllipsoid([o[0], o[1], o[2] - z], d, [shape.radius, shape.radius, shape.radius]);
      return Math.min(hitTube(o, d, shape.radius, 0, half), ball(half), ball(-half));
    }
    case 'cylinder': {
      const half = shape.height / 2;
      const disc = (z: number): number => hitDisc(o, d, shape.radius, z);
      return Math.min(hitTube(o, d, shape.radius, 0, half), disc(half), disc(-half));
    }
    case 'cone': {
      const half = shape.height / 2;
      const slope = -shape.radius / shape.height; // the radius is radius / 2 at z = 0
      return Math.min(hitTube(o, d, shape.radius / 2, slope, half), hitDisc(o, d, shape.radius, -half));
    }
    case 'triangles':
      return hitTriangles(o, d, shape.vertices, shape.triangles);
    case 'half_space':
      return Infinity;
  }
}

function hitEllipsoid(o: number[], d: number[], r: Vec3): number {
  const [ox, oy, oz] = [o[0] / r[0], o[1] / r[1], o[2] / r[2]];
  const [dx, dy, dz] = [d[0] / r[0], d[1] / r[1], d[2] / r[2]];
  const a = dx * dx + dy * dy + dz * dz;
  const b = ox * dx + oy * dy + oz * dz;
  const c = ox * ox + oy * oy + oz * oz - 1;
  const root = b * b - a * c;
  if (root < 0) return Infinity;
  return ahead((-b - Math.sqrt(root)) / a, (-b + Math.sqrt(root)) / a);
}

function ahead(near: number, far: number): number {
  return near >= 0 ? near : far >= 0 ? far : Infinity;
}

function hitBox(o: number[], d: number[], size: Vec3): number {
  let near = -Infinity;
  let far = Infinity;
  for (let k = 0; k < 3; ++k) {
    const one = (-size[k] / 2 - o[k]) / d[k];
    const two = (size[k] / 2 - o[k]) / d[k];
    // Infinite when the ray runs along the faces; NaN, which both ignore, when it runs inside one.
    if (Math.min(one, two) > near) near = Math.min(one, two);
    if (Math.max(one, two) < far) far = Math.max(one, two);
  }
  return near <= far ? ahead(near, far) : Infinity;
}

/** The wall of radius + slope z between z = -half and half. */
function hitTube(o: number[], d: number[], radius: number, slope: number, half: number): number {
  const at = radius + slope * o[2];
  const change = slope * d[2];
  const a = d[0] * d[0] + d[1] * d[1] - change * change;
  const b = o[0] * d[0] + o[1] * d[1] - at * change;
  const c = o[0] * o[0] + o[1] * o[1] - at * at;
  const root = b * b - a * c;
  if (root < 0 || a === 0) return Infinity;
  let best = Infinity;
  for (const t of [(-b - Math.sqrt(root)) / a, (-b + Math.sqrt(root)) / a]) {
    const isOn = t >= 0 && Math.abs(o[2] + t * d[2]) <= half;
    if (isOn && t < best) best = t;
  }
  return best;
}

function hitDisc(o: number[], d: number[], radius: number, z: number): number {
  const t = (z - o[2]) / d[2];
  if (!(t >= 0)) return Infinity;
  return Math.hypot(o[0] + t * d[0], o[1] + t * d[1]) <= radius ? t : Infinity;
}

/** T. Möller, B. Trumbore, "Fast, minimum storage ray/triangle intersection", 1997; from both sides. */
function hitTriangles(o: number[], d: number[], v: number[], triangles: number[]): number {
  let best = Infinity;
  for (let k = 0; k < triangles.length; k += 3) {
    const [a, b, c] = [3 * triangles[k], 3 * triangles[k + 1], 3 * triangles[k + 2]];
    const e1x = v[b] - v[a], e1y = v[b + 1] - v[a + 1], e1z = v[b + 2] - v[a + 2];
    const e2x = v[c] - v[a], e2y = v[c + 1] - v[a + 1], e2z = v[c + 2] - v[a + 2];
    const px = d[1] * e2z - d[2] * e2y, py = d[2] * e2x - d[0] * e2z, pz = d[0] * e2y - d[1] * e2x;
    const scale = 1 / (e1x * px + e1y * py + e1z * pz);
    const tx = o[0] - v[a], ty = o[1] - v[a + 1], tz = o[2] - v[a + 2];
    const u = (tx * px + ty * py + tz * pz) * scale;
    if (!(u >= 0 && u <= 1)) continue;
    const qx = ty * e1z - tz * e1y, qy = tz * e1x - tx * e1z, qz = tx * e1y - ty * e1x;
    const w = (d[0] * qx + d[1] * qy + d[2] * qz) * scale;
    if (!(w >= 0 && u + w <= 1)) continue;
    const t = (e2x * qx + e2y * qy + e2z * qz) * scale;
    if (t >= 0 && t < best) best = t;
  }
  return best;
}
