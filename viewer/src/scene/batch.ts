// Many parts in one draw call: one geometry drawn many times, or many geometries joined into one.
import { BufferAttribute, BufferGeometry } from 'three';
import type { IUniform } from 'three';
import type { ShapeSpec } from '../protocol';
import type { Part } from '../scene_table';
import type { Traits } from './body_material';
import { rotate, slotOf } from './poses';
import { Chunks, RowTexture } from './row_texture';

/** Size of the unit geometry and, of a capsule, half the distance between the halves. */
function sizeOf(shape: ShapeSpec): [number, number, number, number] {
  switch (shape.kind) {
    case 'sphere':
      return [shape.radius, shape.radius, shape.radius, 0];
    case 'box':
      return [...shape.size, 0];
    case 'capsule':
      return [shape.radius, shape.radius, shape.radius, shape.length / 2];
    case 'cylinder':
    case 'cone':
      return [shape.radius, shape.radius, shape.height, 0];
    case 'ellipsoid':
      return [...shape.radii, 0];
    default:
      return [1, 1, 1, 0];
  }
}

const isIdentity = ({ pose }: Part): boolean =>
  pose[0] === 0 && pose[1] === 0 && pose[2] === 0 && pose[4] === 0 && pose[5] === 0 && pose[6] === 0;

export interface Batch {
  geometry: BufferGeometry;
  traits: Traits;
  uniforms: Record<string, IUniform>;
  dispose(): void;
}

/** `unit` once for each part. The rows are: slot and size; then, of parts that are not where their body is, the pose. */
export function repeatedBatch(unit: BufferGeometry, parts: Part[], shapes: ShapeSpec[], isOpen: boolean, isBall = false): Batch {
  const kind = shapes[parts[0].shape].kind;
  const isCapsule = kind === 'capsule';
  const hasPartPoses = isCapsule || !parts.every(isIdentity);
  const width = hasPartPoses ? 4 : 1;
  const rows = new RowTexture(width, parts.length);
  parts.forEach(({ shape, body, pose }, k) => {
    const [x, y, z, stretch] = sizeOf(shapes[shape]);
    const at = 4 * width * k;
    rows.data.set([slotOf(body), x, y, z], at);
    if (hasPartPoses) rows.data.set([pose[0], pose[1], pose[2], stretch, pose[4], pose[5], pose[6], pose[3]], at + 4);
  });
  const chunks = new Chunks(unit, parts.length);
  chunks.setCount(parts.length);
  return {
    geometry: chunks.geometry,
    traits: {
      isRepeated: true,
      hasPartPoses,
      isCapsule,
      hasRims: unit.hasAttribute('rim'),
      isRound: kind === 'sphere' || kind === 'ellipsoid',
      isOpen,
      isBall,
    },
    uniforms: { ...chunks.uniforms, partRows: rows.uniform },
    dispose: () => (chunks.geometry.dispose(), rows.dispose()),
  };
}

/** Different geometries in one: their vertices in the body frames, each with the slot of its body. */
export function joinedBatch(parts: Part[], geometryOf: (shape: number) => BufferGeometry): Batch {
  let total = 0;
  const flat = new Map<number, BufferGeometry>();
  for (const { shape } of parts) {
    if (!flat.has(shape)) flat.set(shape, withoutIndex(geometryOf(shape)));
    total += flat.get(shape)!.getAttribute('position').count;
  }
  const position = new Float32Array(3 * total);
  const normal = new Float32Array(3 * total);
  const rim = new Float32Array(3 * total).fill(1);
  const slot = new Float32Array(total);
  const out = [0, 0, 0];
  let next = 0;
  for (const part of parts) {
    const one = flat.get(part.shape)!;
    const [x, y, z, qw, ...q] = part.pose;
    q.push(qw);
    const from = one.getAttribute('position').array;
    const normals = one.getAttribute('normal').array;
    const rims = one.getAttribute('rim')?.array;
    if (rims) rim.set(rims, 3 * next);
    for (let v = 0; v < from.length; v += 3, ++next) {
      rotate(q, 0, 1, from[v], from[v + 1], from[v + 2], out);
      position.set([out[0] + x, out[1] + y, out[2] + z], 3 * next);
      rotate(q, 0, 1, normals[v], normals[v + 1], normals[v + 2], out);
      normal.set(out, 3 * next);
      slot[next] = slotOf(part.body);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(position, 3));
  geometry.setAttribute('normal', new BufferAttribute(normal, 3));
  geometry.setAttribute('rim', new BufferAttribute(rim, 3));
  geometry.setAttribute('slot', new BufferAttribute(slot, 1));
  const traits = { isRepeated: false, hasPartPoses: false, isCapsule: false, hasRims: true, isRound: false, isOpen: true, isBall: false };
  return { geometry, traits, uniforms: {}, dispose: () => geometry.dispose() };
}

function withoutIndex(geometry: BufferGeometry): BufferGeometry {
  return geometry.index ? geometry.toNonIndexed() : geometry;
}
