// The bodies of the scene: few draw calls, whatever their number.
import { Group, Mesh } from 'three';
import type { BufferGeometry } from 'three';
import type { ShapeSpec } from '../protocol';
import type { Part, SceneTable } from '../scene_table';
import { joinedBatch, repeatedBatch } from './batch';
import type { Batch } from './batch';
import { bodyMaterials, maskMaterial } from './body_material';
import type { BodyMaterials, SharedUniforms } from './body_material';
import { detailFor, triangleGeometry, unitGeometry } from './geometry';
import type { Detail, UnitKind } from './geometry';

const kFewUses = 12; // a shape with fewer parts is joined with others

const unitKinds: Partial<Record<ShapeSpec['kind'], UnitKind>> = {
  sphere: 'sphere',
  ellipsoid: 'sphere',
  box: 'box',
  capsule: 'capsule',
  cylinder: 'cylinder',
  cone: 'cone',
};

export interface SurfaceStyle {
  wireframe: boolean;
  transparent: boolean;
}

export class Bodies {
  readonly group = new Group();
  detail: Detail = detailFor(0, false);
  /** The processor does the work of a graphics card. */
  isSoftware = false;
  private scene: SceneTable | null = null;
  private units = new Map<string, BufferGeometry>();
  private batches: { batch: Batch; materials: BodyMaterials }[] = [];
  private style: SurfaceStyle = { wireframe: false, transparent: false };

  constructor(private readonly uniforms: SharedUniforms) {}

  setScene(scene: SceneTable): void {
    this.clear();
    this.scene = scene;
    this.detail = detailFor(scene.parts.length, this.isSoftware);
    this.addParts(scene.parts);
  }

  /** The parts from `first` on are new. They become batches of their own: few are ever added. */
  addFrom(first: number): void {
    if (!this.scene) return;
    // Hundreds of thrown balls, one batch each, would be slow to draw: then all is grouped anew.
    if (this.group.children.length > 100) this.setScene(this.scene);
    else this.addParts(this.scene.parts.slice(first));
  }

  setStyle(style: SurfaceStyle): void {
    const before = this.style;
    if (style.wireframe === before.wireframe && style.transparent === before.transparent) return;
    this.style = style;
    // Squares have no wires to show.
    if (style.wireframe !== before.wireframe && this.detail.isCoarse && this.scene) this.setScene(this.scene);
    this.batches.forEach(({ materials }) => this.applyStyle(materials));
    this.group.children.forEach((mesh) => (mesh.castShadow = !style.transparent && !style.wireframe));
  }

  /** Meshes of a few bodies in one flat colour, and what frees them. */
  masks(bodies: readonly number[], color: number): { mesh: Mesh; dispose: () => void }[] {
    const parts = this.scene?.parts.filter((part) => bodies.includes(part.body)) ?? [];
    const detail = { ...detailFor(parts.length, this.isSoftware), isCoarse: false };
    return this.batchesOf(parts, 1, detail).map((batch) => {
      const material = maskMaterial(batch, color, this.uniforms);
      const mesh = new Mesh(batch.geometry, material);
      mesh.frustumCulled = false;
      return { mesh, dispose: () => (batch.dispose(), material.dispose()) };
    });
  }

  dispose(): void {
    this.clear();
  }

  private clear(): void {
    for (const { batch, materials } of this.batches) {
      batch.dispose();
      materials.surface.dispose();
      materials.shadow.dispose();
    }
    this.batches = [];
    this.group.clear();
    this.units.forEach((unit) => unit.dispose());
    this.units.clear();
  }

  private addParts(parts: readonly Part[]): void {
    const { bodies, shapes } = this.scene!;
    const canFade = this.scene!.parts.some((part) => bodies[part.body].moving < 0 && shapes[part.shape].kind !== 'half_space');
    for (const batch of this.batchesOf(parts, kFewUses, this.detail)) {
      const materials = bodyMaterials(batch, { isCheap: this.detail.isCoarse || this.isSoftware, canFade }, this.uniforms);
      this.applyStyle(materials);
      this.batches.push({ batch, materials });
      const mesh = new Mesh(batch.geometry, materials.surface);
      mesh.customDepthMaterial = materials.shadow;
      mesh.castShadow = !this.style.transparent && !this.style.wireframe;
      mesh.receiveShadow = true;
      // Its vertices are placed on the card; script knows no bounds that would be worth their cost.
      mesh.frustumCulled = false;
      this.group.add(mesh);
    }
  }

  private batchesOf(parts: readonly Part[], fewUses: number, detail: Detail): Batch[] {
    const shapes = this.scene!.shapes;
    const groups = new Map<string, Part[]>();
    for (const part of parts) {
      const kind = shapes[part.shape].kind;
      if (kind === 'half_space') continue;
      const isBall = kind === 'sphere' && detail.isCoarse && !this.style.wireframe;
      const key = kind === 'triangles' ? `shape ${part.shape}` : isBall ? 'ball' : unitKinds[kind]!;
      const group = groups.get(key);
      if (group) group.push(part);
      else groups.set(key, [part]);
    }
    const batches: Batch[] = [];
    const few: Part[] = [];
    for (const [key, group] of groups) {
      const shape = shapes[group[0].shape];
      if (shape.kind !== 'triangles') {
        batches.push(repeatedBatch(this.unit(key as UnitKind, detail), group, shapes, false, key === 'ball'));
      } else if (group.length < fewUses && groups.size > 3) {
        few.push(...group);
      } else {
        batches.push(repeatedBatch(this.triangles(group[0].shape), group, shapes, shape.of !== 'hull'));
      }
    }
    if (few.length > 0) batches.push(joinedBatch(few, (shape) => this.triangles(shape)));
    return batches;
  }

  private unit(kind: UnitKind, detail: Detail): BufferGeometry {
    return this.keep(`${kind} ${detail.sphere} ${detail.isCoarse}`, () => unitGeometry(kind, detail));
  }

  private triangles(index: number): BufferGeometry {
    const shape = this.scene!.shapes[index];
    if (shape.kind !== 'triangles') throw new Error(`shape ${index} has no triangles`);
    return this.keep(`shape ${index}`, () => triangleGeometry(shape));
  }

  private keep(key: string, make: () => BufferGeometry): BufferGeometry {
    let unit = this.units.get(key);
    if (!unit) this.units.set(key, (unit = make()));
    return unit;
  }

  private applyStyle({ surface }: BodyMaterials): void {
    surface.wireframe = this.style.wireframe;
    surface.transparent = this.style.transparent;
    surface.opacity = this.style.transparent ? 0.38 : 1;
    surface.depthWrite = !this.style.transparent;
    surface.needsUpdate = true;
  }
}
