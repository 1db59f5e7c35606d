// Bounding boxes along the axes of the world: blue, red when the body is in contact.
import { BufferAttribute, Group, InstancedBufferGeometry, LineSegments, ShaderMaterial } from 'three';
import type { ContactTable } from '../../protocol';
import type { PartTable } from '../parts';
import { rotate, slotOf } from '../poses';
import type { Poses } from '../poses';
import { InstanceColumn, screenColor } from './common';

const kCorners = 400000; // of hulls and meshes that may be looked at for each frame; with more, boxes are larger than they could be

export class Boxes {
  readonly group = new Group();
  private readonly geometry = edges();
  private readonly lower = new InstanceColumn([this.geometry], 'lower', 3);
  private readonly upper = new InstanceColumn([this.geometry], 'upper', 4); // and whether it touches
  private readonly material = new ShaderMaterial({
    uniforms: { free: { value: screenColor(0x1c7ed6) }, touching: { value: screenColor(0xe03131) } },
    vertexShader: /* glsl */ `
      attribute vec3 lower;
      attribute vec4 upper;
      varying float touches;
      void main() {
        touches = upper.w;
        gl_Position = projectionMatrix * viewMatrix * vec4(mix(lower, upper.xyz, position), 1.0);
      }`,
    fragmentShader: /* glsl */ `
      uniform vec3 free, touching;
      varying float touches;
      void main() { gl_FragColor = vec4(touches > 0.5 ? touching : free, 1.0); }`,
    toneMapped: false,
  });
  private touched = new Uint8Array(0);

  constructor() {
    const lines = new LineSegments(this.geometry, this.material);
    lines.frustumCulled = false;
    this.group.add(lines);
  }

  /** One box per moving body. */
  update(parts: PartTable, poses: Poses, contacts: ContactTable | undefined): void {
    const { scene } = parts;
    const count = scene.moving.length;
    const lower = this.lower.reserve(count).fill(Infinity, 0, 3 * count);
    const upper = this.upper.reserve(count);
    this.findTouched(scene.bodies.length, contacts);
    mostCorners = kCorners / parts.count;
    for (let m = 0; m < count; ++m) {
      for (let d = 0; d < 3; ++d) upper[4 * m + d] = -Infinity;
      upper[4 * m + 3] = this.touched[scene.moving[m]];
    }
    for (let p = 0; p < parts.count; ++p) {
      const body = parts.body[p];
      const m = scene.bodies[body].moving;
      if (m < 0 || parts.ball[4 * p + 3] === Infinity || !poses.isShown(body)) continue;
      extent(parts, poses, p);
      for (let d = 0; d < 3; ++d) {
        if (middle[d] - half[d] < lower[3 * m + d]) lower[3 * m + d] = middle[d] - half[d];
        if (middle[d] + half[d] > upper[4 * m + d]) upper[4 * m + d] = middle[d] + half[d];
      }
    }
    // Bodies that are hidden or have no parts: nothing, at a place that is no number.
    for (let k = 0; k < 3 * count; ++k) if (lower[k] === Infinity) lower[k] = NaN;
    this.lower.touch(count);
    this.upper.touch(count);
    this.geometry.instanceCount = count;
  }

  dispose(): void {
    this.geometry.dispose();
    this.material.dispose();
  }

  private findTouched(bodies: number, contacts: ContactTable | undefined): void {
    if (this.touched.length < bodies) this.touched = new Uint8Array(bodies);
    this.touched.fill(0);
    if (!contacts) return;
    const { a, b, force, count } = contacts;
    for (let i = 0; i < count; ++i) {
      if (force[3 * i] === 0 && force[3 * i + 1] === 0 && force[3 * i + 2] === 0) continue;
      if (a[i] >= 0) this.touched[a[i]] = 1;
      if (b[i] >= 0) this.touched[b[i]] = 1;
    }
  }
}

let mostCorners = 0; // of one part
const middle = [0, 0, 0];
const half = [0, 0, 0];
const columns = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]; // axes of the part in the world
const scratch = [0, 0, 0];

/** The box of a part in the world, into `middle` and `half`. */
function extent(parts: PartTable, poses: Poses, p: number): void {
  const body = parts.body[p];
  const q = 8 * slotOf(body) + 4;
  const shape = parts.scene.shapes[parts.shape[p]];
  const box = parts.boxes[parts.shape[p]];
  scratch[0] = parts.ball[4 * p];
  scratch[1] = parts.ball[4 * p + 1];
  scratch[2] = parts.ball[4 * p + 2];
  poses.toWorld(body, scratch, middle);
  if (shape.kind === 'sphere') {
    half[0] = half[1] = half[2] = shape.radius;
    return;
  }
  for (let k = 0; k < 3; ++k) {
    const axis = columns[k];
    rotate(parts.turn, 4 * p, 1, k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0, axis);
    rotate(poses.data, q, 1, axis[0], axis[1], axis[2], axis);
  }
  const isCornered = shape.kind === 'triangles' && shape.vertices.length <= 3 * mostCorners;
  for (let d = 0; d < 3; ++d) {
    const [x, y, z] = [columns[0][d], columns[1][d], columns[2][d]];
    const [a, b, c] = box.half;
    const round = Math.sqrt(Math.max(0, 1 - z * z)); // of the unit circle around the axis
    if (shape.kind === 'capsule') half[d] = shape.radius + Math.abs(z) * (c - shape.radius);
    else if (shape.kind === 'ellipsoid') half[d] = Math.sqrt(x * x * a * a + y * y * b * b + z * z * c * c);
    else if (shape.kind === 'cylinder') half[d] = a * round + c * Math.abs(z);
    else if (isCornered) spanCorners(shape.vertices, box.middle, x, y, z, d);
    else if (shape.kind === 'cone') {
      // The base at -c and the apex at c.
      const [low, high] = [Math.min(-c * z - a * round, c * z), Math.max(-c * z + a * round, c * z)];
      middle[d] += (low + high) / 2;
      half[d] = (high - low) / 2;
    } else half[d] = Math.abs(x) * a + Math.abs(y) * b + Math.abs(z) * c;
  }
}

function spanCorners(vertices: number[], about: number[], x: number, y: number, z: number, d: number): void {
  let low = Infinity;
  let high = -Infinity;
  for (let v = 0; v < vertices.length; v += 3) {
    const s = x * (vertices[v] - about[0]) + y * (vertices[v + 1] - about[1]) + z * (vertices[v + 2] - about[2]);
    if (s < low) low = s;
    if (s > high) high = s;
  }
  middle[d] += (low + high) / 2;
  half[d] = (high - low) / 2;
}

/** The twelve edges of the unit box. */
function edges(): InstancedBufferGeometry {
  const positions: number[] = [];
  for (let d = 0; d < 3; ++d) {
    for (const [u, v] of [[0, 0], [0, 1], [1, 0], [1, 1]]) {
      for (const t of [0, 1]) {
        const corner = [0, 0, 0];
        corner[d] = t;
        corner[(d + 1) % 3] = u;
        corner[(d + 2) % 3] = v;
        positions.push(...corner);
      }
    }
  }
  const geometry = new InstancedBufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(positions), 3));
  geometry.instanceCount = 0;
  return geometry;
}
