// Triangles ready to be drawn: normals that are smooth across flat edges and broken at sharp ones, and marks
// from which the shader draws the sharp edges as fine lines.
import { BufferAttribute, BufferGeometry } from 'three';

const kTooManyForLines = 60000; // triangles; such a mesh is a landscape and has no edges worth a line

export interface CreaseOptions {
  degrees: number; // an edge is sharp when its faces differ by more
  lines: boolean;
}

export function creasedGeometry(vertices: ArrayLike<number>, triangles: ArrayLike<number>, options: CreaseOptions): BufferGeometry {
  const count = Math.floor(triangles.length / 3);
  const corners = weld(vertices, triangles);
  const faceNormal = faceNormals(vertices, triangles, count);
  const cosine = Math.cos((options.degrees * Math.PI) / 180);
  const normal = cornerNormals(corners, faceNormal, count, cosine);
  const position = new Float32Array(9 * count);
  for (let c = 0; c < 3 * count; ++c) {
    for (let d = 0; d < 3; ++d) position[3 * c + d] = vertices[3 * triangles[c] + d];
  }
  if (!options.lines || count > kTooManyForLines) return indexed(position, normal);
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(position, 3));
  geometry.setAttribute('normal', new BufferAttribute(normal, 3));
  geometry.setAttribute('rim', new BufferAttribute(rims(corners, faceNormal, count, cosine), 3));
  return geometry;
}

/** For each corner of each triangle the number of its place; corners at the same place have the same. */
function weld(vertices: ArrayLike<number>, triangles: ArrayLike<number>): Int32Array {
  const places = new Map<string, number>();
  const placeOf = Int32Array.from({ length: Math.floor(vertices.length / 3) }, (_, v) => {
    const key = `${vertices[3 * v]},${vertices[3 * v + 1]},${vertices[3 * v + 2]}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, v);
    return v;
  });
  return Int32Array.from({ length: triangles.length }, (_, c) => placeOf[triangles[c]]);
}

/** Their lengths are twice the areas. */
function faceNormals(vertices: ArrayLike<number>, triangles: ArrayLike<number>, count: number): Float64Array {
  const normals = new Float64Array(3 * count);
  for (let t = 0; t < count; ++t) {
    const [a, b, c] = [3 * triangles[3 * t], 3 * triangles[3 * t + 1], 3 * triangles[3 * t + 2]];
    const [ux, uy, uz] = [vertices[b] - vertices[a], vertices[b + 1] - vertices[a + 1], vertices[b + 2] - vertices[a + 2]];
    const [vx, vy, vz] = [vertices[c] - vertices[a], vertices[c + 1] - vertices[a + 1], vertices[c + 2] - vertices[a + 2]];
    normals[3 * t] = uy * vz - uz * vy;
    normals[3 * t + 1] = uz * vx - ux * vz;
    normals[3 * t + 2] = ux * vy - uy * vx;
  }
  return normals;
}

const dot = (n: Float64Array, a: number, b: number): number =>
  n[3 * a] * n[3 * b] + n[3 * a + 1] * n[3 * b + 1] + n[3 * a + 2] * n[3 * b + 2];

function isFlat(n: Float64Array, a: number, b: number, cosine: number): boolean {
  return dot(n, a, b) >= cosine * Math.sqrt(dot(n, a, a) * dot(n, b, b));
}

function cornerNormals(corners: Int32Array, faceNormal: Float64Array, count: number, cosine: number): Float32Array {
  const facesAt = new Map<number, number[]>();
  for (let c = 0; c < 3 * count; ++c) {
    const faces = facesAt.get(corners[c]);
    if (faces) faces.push(Math.floor(c / 3));
    else facesAt.set(corners[c], [Math.floor(c / 3)]);
  }
  const normals = new Float32Array(9 * count);
  for (let c = 0; c < 3 * count; ++c) {
    const face = Math.floor(c / 3);
    let [x, y, z] = [0, 0, 0];
    for (const other of facesAt.get(corners[c])!) {
      if (other !== face && !isFlat(faceNormal, face, other, cosine)) continue;
      x += faceNormal[3 * other];
      y += faceNormal[3 * other + 1];
      z += faceNormal[3 * other + 2];
    }
    const length = Math.hypot(x, y, z) || 1;
    normals.set([x / length, y / length, z / length], 3 * c);
  }
  return normals;
}

/**
 * Barycentric coordinates: the k-th is 0 on the edge opposite corner k. On edges without a line it is 1
 * everywhere instead.
 */
function rims(corners: Int32Array, faceNormal: Float64Array, count: number, cosine: number): Float32Array {
  const faceOfEdge = new Map<string, number>();
  for (let t = 0; t < count; ++t) {
    for (let k = 0; k < 3; ++k) {
      faceOfEdge.set(`${corners[3 * t + ((k + 1) % 3)]},${corners[3 * t + ((k + 2) % 3)]}`, t);
    }
  }
  const rim = new Float32Array(9 * count);
  for (let t = 0; t < count; ++t) {
    for (let k = 0; k < 3; ++k) {
      const other = faceOfEdge.get(`${corners[3 * t + ((k + 2) % 3)]},${corners[3 * t + ((k + 1) % 3)]}`);
      const hasLine = other === undefined || !isFlat(faceNormal, t, other, cosine);
      for (let corner = 0; corner < 3; ++corner) rim[9 * t + 3 * corner + k] = corner === k || !hasLine ? 1 : 0;
    }
  }
  return rim;
}

/** Corners that agree in place and normal become one vertex. */
function indexed(position: Float32Array, normal: Float32Array): BufferGeometry {
  const known = new Map<string, number>();
  const index: number[] = [];
  const positions: number[] = [];
  const normals: number[] = [];
  const round = (x: number): number => Math.round(1000 * x);
  for (let c = 0; c < position.length; c += 3) {
    const key = `${position[c]},${position[c + 1]},${position[c + 2]},${round(normal[c])},${round(normal[c + 1])},${round(normal[c + 2])}`;
    let vertex = known.get(key);
    if (vertex === undefined) {
      vertex = known.size;
      known.set(key, vertex);
      positions.push(position[c], position[c + 1], position[c + 2]);
      normals.push(normal[c], normal[c + 1], normal[c + 2]);
    }
    index.push(vertex);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(positions), 3));
  geometry.setAttribute('normal', new BufferAttribute(Float32Array.from(normals), 3));
  geometry.setIndex(index);
  return geometry;
}
