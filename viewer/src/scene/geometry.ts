// The shapes that are drawn many times, of size one. Axes of revolution lie along z.
import { BufferAttribute, BufferGeometry } from 'three';
import type { ShapeSpec } from '../protocol';
import { creasedGeometry } from './creases';

/** How finely round things are drawn; the more there are, the smaller each is on the screen. */
export interface Detail {
  sphere: number; // times an icosahedron is divided
  segments: number; // around a cylinder
  isCoarse: boolean;
}

/** `isSoftware`: the processor does the work of a graphics card. */
export function detailFor(parts: number, isSoftware: boolean): Detail {
  const many = isSoftware ? 4 * parts : parts;
  if (many <= 300) return { sphere: 4, segments: 48, isCoarse: false };
  if (many <= 1500) return { sphere: 3, segments: 32, isCoarse: false };
  if (many <= 6000) return { sphere: 2, segments: 20, isCoarse: false };
  if (many <= 60000) return { sphere: 1, segments: 12, isCoarse: true };
  return { sphere: 0, segments: 8, isCoarse: true };
}

/** A `ball` is a square; the shader makes a sphere of it. */
export type UnitKind = 'ball' | 'sphere' | 'box' | 'capsule' | 'cylinder' | 'cone';

export function unitGeometry(kind: UnitKind, detail: Detail): BufferGeometry {
  switch (kind) {
    case 'ball':
      return square();
    case 'sphere':
      return icosphere(detail.sphere);
    case 'box':
      return box();
    case 'capsule':
      return capsule(detail.segments, Math.max(2, detail.segments >> 3));
    case 'cylinder':
      return revolved([[1, -0.5], [1, 0.5]], detail);
    case 'cone':
      return revolved([[1, -0.5], [0, 0.5]], detail);
  }
}

export function triangleGeometry(shape: Extract<ShapeSpec, { kind: 'triangles' }>): BufferGeometry {
  const isRock = shape.of === 'hull' || shape.of === 'polygon';
  return creasedGeometry(shape.vertices, shape.triangles, { degrees: isRock ? 20 : 35, lines: shape.of !== 'height_field' });
}

function icosphere(divisions: number): BufferGeometry {
  const g = (1 + Math.sqrt(5)) / 2;
  let points = [
    [-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0], [0, -1, g], [0, 1, g],
    [0, -1, -g], [0, 1, -g], [g, 0, -1], [g, 0, 1], [-g, 0, -1], [-g, 0, 1],
  ].map(normalized);
  let faces = [
    [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
    [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1],
  ];
  for (let round = 0; round < divisions; ++round) {
    const middles = new Map<string, number>();
    const middle = (a: number, b: number): number => {
      const key = a < b ? `${a},${b}` : `${b},${a}`;
      let at = middles.get(key);
      if (at === undefined) {
        at = points.push(normalized(points[a].map((x, d) => x + points[b][d]))) - 1;
        middles.set(key, at);
      }
      return at;
    };
    faces = faces.flatMap(([a, b, c]) => {
      const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
      return [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]];
    });
  }
  // Flat triangles inside the sphere make it look too small when there are few.
  const grow = [1.12, 1.04][divisions] ?? 1;
  points = points.map((p) => p.map((x) => x * grow));
  return smooth(points.flat(), faces.flat());
}

function normalized(p: number[]): number[] {
  const length = Math.hypot(...p);
  return p.map((x) => x / length);
}

/** A shape around the origin whose normals are its directions. */
function smooth(positions: number[], index: number[]): BufferGeometry {
  const geometry = new BufferGeometry();
  const position = Float32Array.from(positions);
  geometry.setAttribute('position', new BufferAttribute(position, 3));
  const normal = new Float32Array(position.length);
  for (let v = 0; v < normal.length; v += 3) normal.set(normalized([...position.subarray(v, v + 3)]), v);
  geometry.setAttribute('normal', new BufferAttribute(normal, 3));
  geometry.setIndex(index);
  return geometry;
}

function square(): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(Float32Array.of(-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0), 3));
  geometry.setAttribute('normal', new BufferAttribute(Float32Array.of(0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1), 3));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  return geometry;
}

function box(): BufferGeometry {
  const vertices = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((k) => [(k & 1) - 0.5, ((k >> 1) & 1) - 0.5, (k >> 2) - 0.5]);
  const sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
  const triangles = sides.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]);
  return creasedGeometry(vertices, triangles, { degrees: 30, lines: true });
}

/** A ball cut in two along its equator; `cap` is -1 on the lower half and 1 on the upper, to be drawn apart. */
function capsule(segments: number, rings: number): BufferGeometry {
  const positions: number[] = [];
  const caps: number[] = [];
  const index: number[] = [];
  const across = segments;
  const rows = 2 * (rings + 1);
  for (let row = 0; row < rows; ++row) {
    const isUpper = row > rings;
    const polar = ((isUpper ? row - 1 : row) / (2 * rings)) * Math.PI - Math.PI / 2;
    for (let s = 0; s <= across; ++s) {
      const around = (s / across) * 2 * Math.PI;
      positions.push(Math.cos(polar) * Math.cos(around), Math.cos(polar) * Math.sin(around), Math.sin(polar));
      caps.push(isUpper ? 1 : -1);
      if (row === 0 || s === across) continue;
      const [a, b] = [(row - 1) * (across + 1) + s, row * (across + 1) + s];
      index.push(a, a + 1, b + 1, a, b + 1, b);
    }
  }
  const geometry = smooth(positions, index);
  geometry.setAttribute('cap', new BufferAttribute(Float32Array.from(caps), 1));
  return geometry;
}

/** A solid from its outline (radius, z) from below to above. */
function revolved(outline: [number, number][], detail: Detail): BufferGeometry {
  const n = detail.segments;
  const vertices: number[] = [];
  const triangles: number[] = [];
  for (const [radius, z] of outline) {
    for (let s = 0; s < n; ++s) {
      const around = (s / n) * 2 * Math.PI;
      vertices.push(radius * Math.cos(around), radius * Math.sin(around), z);
    }
  }
  const bottom = vertices.push(0, 0, outline[0][1]) / 3 - 1;
  const last = outline.length - 1;
  const top = vertices.push(0, 0, outline[last][1]) / 3 - 1;
  for (let s = 0; s < n; ++s) {
    const next = (s + 1) % n;
    triangles.push(bottom, next, s);
    if (outline[last][0] > 0) triangles.push(top, last * n + s, last * n + next);
    for (let ring = 0; ring < last; ++ring) {
      const [a, b, c, d] = [ring * n + s, ring * n + next, (ring + 1) * n + next, (ring + 1) * n + s];
      triangles.push(a, b, c);
      if (outline[ring + 1][0] > 0) triangles.push(a, c, d);
    }
  }
  return creasedGeometry(vertices, triangles, { degrees: 40, lines: !detail.isCoarse });
}
