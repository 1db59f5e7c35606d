// Numbers per instance, in a texture, and geometries that hold several instances.
//
// Cards waste time on instances of a few vertices each, and software renderers treat every instance as a draw call
// of its own. So one instance of a geometry holds many copies of the thing, and each copy reads its own row.
import { BufferAttribute, DataTexture, FloatType, InstancedBufferGeometry, NearestFilter, RGBAFormat } from 'three';
import type { BufferGeometry } from 'three';

const kTexels = 1024; // in a line of the texture; the shader knows it as well
const kVertices = 6000; // that one instance should hold

/** Rows of `width` texels, four numbers each. */
export class RowTexture {
  readonly uniform: { value: DataTexture };
  data: Float32Array<ArrayBuffer>;

  constructor(readonly width: 1 | 2 | 4, rows = 1) {
    this.data = new Float32Array(0);
    this.uniform = { value: this.make(rows) };
  }

  /** Room for `count` rows; what was there may be lost. The caller fills it and calls touch(). */
  reserve(count: number): Float32Array {
    if (this.data.length < 4 * this.width * count) {
      this.uniform.value.dispose();
      this.uniform.value = this.make(Math.ceil(1.3 * count));
    }
    return this.data;
  }

  touch(): void {
    this.uniform.value.needsUpdate = true;
  }

  dispose(): void {
    this.uniform.value.dispose();
  }

  private make(rows: number): DataTexture {
    const lines = Math.max(1, Math.ceil((rows * this.width) / kTexels));
    this.data = new Float32Array(4 * kTexels * lines);
    const texture = new DataTexture(this.data, kTexels, lines, RGBAFormat, FloatType);
    texture.minFilter = texture.magFilter = NearestFilter;
    texture.needsUpdate = true;
    return texture;
  }
}

/** GLSL: `row()` of this vertex, and `texelOf(rows, row, width, k)`. `copies` and `rowCount` come from Chunks. */
export const ROW_GLSL = /* glsl */ `
attribute float copy;
uniform float copies, rowCount;
int row() { return gl_InstanceID * int(copies) + int(copy + 0.5); }
bool isRow() { return row() < int(rowCount); }
vec4 texelOf(highp sampler2D rows, int width, int k) {
  int at = row() * width + k;
  return texelFetch(rows, ivec2(at & 1023, at >> 10), 0);
}
`;

/** A geometry drawn once for each row. */
export class Chunks {
  readonly geometry = new InstancedBufferGeometry();
  readonly uniforms = { copies: { value: 1 }, rowCount: { value: 0 } };

  /** `most`: as many rows as are to be expected; more are possible. */
  constructor(unit: BufferGeometry, most = Infinity) {
    const vertices = unit.getAttribute('position').count;
    const copies = Math.max(1, Math.min(256, most, Math.floor(kVertices / vertices)));
    this.uniforms.copies.value = copies;
    for (const [name, attribute] of Object.entries(unit.attributes)) {
      const all = new Float32Array(attribute.array.length * copies);
      for (let k = 0; k < copies; ++k) all.set(attribute.array, k * attribute.array.length);
      this.geometry.setAttribute(name, new BufferAttribute(all, attribute.itemSize));
    }
    const copy = Float32Array.from({ length: vertices * copies }, (_, v) => Math.floor(v / vertices));
    this.geometry.setAttribute('copy', new BufferAttribute(copy, 1));
    if (unit.index) {
      const from = unit.index.array;
      const index = new Uint32Array(from.length * copies);
      for (let k = 0; k < copies; ++k) for (let i = 0; i < from.length; ++i) index[k * from.length + i] = from[i] + k * vertices;
      this.geometry.setIndex(new BufferAttribute(vertices * copies < 65536 ? Uint16Array.from(index) : index, 1));
    }
    this.setCount(0);
  }

  setCount(rows: number): void {
    this.uniforms.rowCount.value = rows;
    this.geometry.instanceCount = Math.ceil(rows / this.uniforms.copies.value);
  }
}
