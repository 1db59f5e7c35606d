// The colour of every body, in a texture: its own, or that of a number.
import { DataTexture, NearestFilter, RGBAFormat, SRGBColorSpace, UnsignedByteType } from 'three';
import type { ColorBy } from '../app';
import type { Frame } from '../protocol';
import type { SceneTable } from '../scene_table';
import { Signal } from '../signal';
import { COLOR_TABLE, defaultColor, FIXED_COLOR, packColor, STOPS, UNKNOWN_COLOR } from './palette';
import { slotOf } from './poses';
import { niceAbove, Peak } from './range';

const kRow = 1024; // texels in a row; the shader knows it as well
const kResiduals: [number, number] = [1e-8, 1];

export interface ColorLegend {
  label: string;
  unit: string;
  lower: number;
  upper: number;
  stops: string[];
  isLogarithmic: boolean;
}

/** GLSL: the colour of a slot, linear; its alpha is 0 when only its edges shall be drawn. */
export const COLOR_GLSL = /* glsl */ `
uniform sampler2D bodyColors;
vec4 bodyColor(float slot) {
  int s = int(slot + 0.5);
  return texelFetch(bodyColors, ivec2(s & 1023, s >> 10), 0);
}
`;

export class Coloring {
  readonly uniform: { value: DataTexture };
  readonly legend = new Signal<ColorLegend | null>(null);
  private packed = new Uint32Array(0); // a view of the texture's bytes
  private own = new Uint32Array(0);
  private values = new Float32Array(0); // one per slot
  private isFixed = new Uint8Array(0);
  private movingSlot = new Int32Array(0);
  private readonly peaks = { speed: new Peak(4), force: new Peak(4) };
  private shown: ColorBy = 'body';

  constructor() {
    this.uniform = { value: this.makeTexture(1) };
  }

  setScene(scene: SceneTable, isSame: boolean): void {
    const slots = scene.bodies.length + 1;
    const rows = Math.ceil(slots / kRow);
    if (rows !== this.uniform.value.image.height) {
      this.uniform.value.dispose();
      this.uniform.value = this.makeTexture(rows);
    }
    this.own = new Uint32Array(slots);
    this.values = new Float32Array(slots);
    this.isFixed = new Uint8Array(slots);
    this.movingSlot = Int32Array.from(scene.moving, slotOf);
    scene.bodies.forEach((body, index) => {
      const isFixed = body.motion === 'fixed';
      const color = body.color >= 0 ? body.color : isFixed ? FIXED_COLOR : defaultColor(body.moving);
      this.own[slotOf(index)] = packColor(color);
      this.isFixed[slotOf(index)] = isFixed ? 1 : 0;
    });
    if (!isSame) Object.values(this.peaks).forEach((peak) => peak.reset());
    // The legend stays until update() knows better, else it would blink for every ball that is thrown.
    this.packed.set(this.own);
    this.uniform.value.needsUpdate = true;
  }

  /** Fixed bodies of which only the edges shall be drawn. */
  setFaded(bodies: ReadonlySet<number>): void {
    for (let slot = 1; slot < this.own.length; ++slot) {
      if (!this.isFixed[slot]) continue;
      const color = this.own[slot] & 0xffffff;
      this.own[slot] = this.packed[slot] = bodies.has(slot - slotOf(0)) ? color : (color | 0xff000000) >>> 0;
    }
    this.uniform.value.needsUpdate = true;
  }

  /** `seconds` since the last call. */
  update(by: ColorBy, frame: Frame | null, seconds: number): void {
    if (by === 'body') {
      if (this.shown !== 'body' || this.legend.value) this.showOwn();
      return;
    }
    this.shown = by;
    const { values } = this;
    values.fill(NaN);
    if (frame) {
      if (by === 'speed') this.takeSpeeds(frame);
      else if (by === 'force') this.takeForces(frame);
      else this.takeResiduals(frame);
    }
    if (by === 'residual') {
      this.paint(Math.log(kResiduals[0]), Math.log(kResiduals[1]), true);
      this.tell('residual', '', ...kResiduals, true);
      return;
    }
    let largest = 0;
    for (let slot = 1; slot < values.length; ++slot) {
      if (values[slot] > largest && values[slot] < Infinity && !this.isFixed[slot]) largest = values[slot];
    }
    // A round end of the range stays for a while, and so do the colours.
    const upper = niceAbove(this.peaks[by].see(largest, seconds)) || 1;
    this.paint(0, upper, false);
    if (by === 'speed') this.tell('speed', 'm/s', 0, upper, false);
    else this.tell('contact force', 'N', 0, upper, false);
  }

  dispose(): void {
    this.uniform.value.dispose();
  }

  private takeSpeeds(frame: Frame): void {
    const velocity = frame.velocity;
    if (!velocity) return;
    const known = Math.min(frame.moving, this.movingSlot.length);
    for (let m = 0; m < known; ++m) {
      const x = velocity[3 * m];
      const y = velocity[3 * m + 1];
      const z = velocity[3 * m + 2];
      this.values[this.movingSlot[m]] = Math.sqrt(x * x + y * y + z * z);
    }
  }

  private takeForces(frame: Frame): void {
    const contacts = frame.contacts;
    if (!contacts) return;
    const { values } = this;
    values.fill(0);
    for (let i = 0; i < contacts.count; ++i) {
      const x = contacts.force[3 * i];
      const y = contacts.force[3 * i + 1];
      const z = contacts.force[3 * i + 2];
      const force = Math.sqrt(x * x + y * y + z * z);
      values[slotOf(contacts.a[i])] += force;
      values[slotOf(contacts.b[i])] += force;
    }
  }

  /** Bodies without contacts have none. */
  private takeResiduals(frame: Frame): void {
    const contacts = frame.contacts;
    if (!contacts) return;
    const { values } = this;
    for (let i = 0; i < contacts.count; ++i) {
      const residual = contacts.residual[i];
      const a = slotOf(contacts.a[i]);
      const b = slotOf(contacts.b[i]);
      if (!(values[a] >= residual)) values[a] = residual;
      if (!(values[b] >= residual)) values[b] = residual;
    }
  }

  private paint(lower: number, upper: number, isLogarithmic: boolean): void {
    const { values, packed, isFixed } = this;
    const unknown = packColor(UNKNOWN_COLOR);
    const scale = 255 / (upper - lower);
    for (let slot = 1; slot < values.length; ++slot) {
      if (isFixed[slot]) {
        packed[slot] = this.own[slot];
        continue;
      }
      const value = isLogarithmic ? Math.log(values[slot]) : values[slot];
      const at = (value - lower) * scale;
      packed[slot] = at === at ? COLOR_TABLE[at < 0 ? 0 : at > 255 ? 255 : at | 0] : unknown;
    }
    this.uniform.value.needsUpdate = true;
  }

  private showOwn(): void {
    this.shown = 'body';
    this.packed.set(this.own);
    this.uniform.value.needsUpdate = true;
    this.legend.value = null;
  }

  private tell(label: string, unit: string, lower: number, upper: number, isLogarithmic: boolean): void {
    const now = this.legend.value;
    if (now && now.label === label && now.lower === lower && now.upper === upper) return;
    this.legend.value = { label, unit, lower, upper, stops: STOPS, isLogarithmic };
  }

  private makeTexture(rows: number): DataTexture {
    const bytes = new Uint8Array(4 * kRow * rows);
    this.packed = new Uint32Array(bytes.buffer);
    const texture = new DataTexture(bytes, kRow, rows, RGBAFormat, UnsignedByteType);
    texture.minFilter = texture.magFilter = NearestFilter;
    texture.colorSpace = SRGBColorSpace;
    return texture;
  }
}
