// What the overlays share.
import { Color, DynamicDrawUsage, GreaterDepth, InstancedBufferAttribute, InstancedBufferGeometry, LessEqualDepth, Mesh, ShaderMaterial, Vector2 } from 'three';
import type { BufferGeometry, IUniform } from 'three';

/** Values that every overlay reads; one object for all of them. */
export interface OverlayUniforms {
  poses: IUniform;
  viewport: { value: Vector2 }; // px of the canvas
  pixelRatio: { value: number };
  sceneRadius: { value: number }; // m
}

export interface OverlayShader {
  vertex: string;
  /** Sets `vec4 color` in sRGB; `hidden` is 1 where something lies in front. */
  fragment: string;
}

/** How much of an overlay shines through what lies in front of it; 1: it is drawn on top of everything. */
export type Shine = number;

/**
 * Meshes that draw the geometry, once where it is seen and once, fainter, where it is hidden.
 * Both share uniforms, so that changing one changes both.
 */
export function overlayMeshes(geometry: BufferGeometry, shader: OverlayShader, uniforms: Record<string, IUniform>, shine: Shine): Mesh[] {
  const make = (isHidden: boolean): Mesh => {
    const material = new ShaderMaterial({
      vertexShader: shader.vertex,
      fragmentShader: `uniform float strength;\n${shader.fragment.replace('/*end*/', 'gl_FragColor = vec4(color.rgb, color.a * strength);')}`,
      transparent: true,
      depthWrite: !isHidden && shine < 1,
      depthTest: shine < 1,
      depthFunc: isHidden ? GreaterDepth : LessEqualDepth,
      toneMapped: false,
    });
    material.uniforms = { ...uniforms, strength: { value: isHidden ? shine : 1 } };
    const mesh = new Mesh(geometry, material);
    mesh.frustumCulled = false;
    mesh.renderOrder = isHidden ? 40 : shine < 1 ? 30 : 60;
    return mesh;
  };
  return shine > 0 && shine < 1 ? [make(false), make(true)] : [make(false)];
}

/** A column of numbers per instance that grows. */
export class InstanceColumn {
  attribute: InstancedBufferAttribute;

  constructor(private readonly geometry: InstancedBufferGeometry[], private readonly name: string, readonly width: number) {
    this.attribute = this.make(64);
  }

  /** Room for `count` instances; what was there is lost. The caller fills it and calls touch(). */
  reserve(count: number): Float32Array {
    if (this.attribute.count < count) {
      // three frees the buffers of a geometry as a whole; the next draw makes those still needed anew.
      this.geometry.forEach((geometry) => geometry.dispose());
      this.attribute = this.make(Math.ceil(1.5 * count));
    }
    return this.attribute.array as Float32Array;
  }

  touch(count: number): void {
    this.attribute.clearUpdateRanges();
    this.attribute.addUpdateRange(0, this.width * count);
    this.attribute.needsUpdate = true;
  }

  private make(count: number): InstancedBufferAttribute {
    const attribute = new InstancedBufferAttribute(new Float32Array(this.width * count), this.width);
    attribute.setUsage(DynamicDrawUsage);
    this.geometry.forEach((geometry) => geometry.setAttribute(this.name, attribute));
    return attribute;
  }
}

/** r, g, b in sRGB, from 0 to 1: overlays write to the screen as they are. */
export const screenColor = (hex: number): Color => new Color(hex).convertLinearToSRGB();

export function disposeMeshes(meshes: Iterable<Mesh>): void {
  for (const mesh of meshes) {
    mesh.geometry.dispose();
    (mesh.material as ShaderMaterial).dispose();
  }
}
