// Names beside the bodies, those nearest to the camera.
import { Vector3 } from 'three';
import type { SceneTable } from '../../scene_table';
import type { CameraRig } from '../camera';
import type { Look } from '../palette';
import { slotOf } from '../poses';
import type { Poses } from '../poses';

const kMost = 100;
const kLongest = 24; // letters
const kCell = [76, 18]; // px of the screen that one name keeps for itself

interface Label {
  text: string;
  x: number; // px
  y: number;
}

export class Names {
  readonly element = document.createElement('div');
  private readonly pool: HTMLSpanElement[] = [];
  private labels: Label[] = [];

  constructor() {
    const { style } = this.element;
    Object.assign(style, { position: 'absolute', inset: '0', overflow: 'hidden', pointerEvents: 'none' });
    Object.assign(style, { font: '11px system-ui, sans-serif', userSelect: 'none' });
    this.element.setAttribute('aria-hidden', 'true');
  }

  setLook(look: Look): void {
    this.element.style.color = look.text;
    this.element.style.textShadow = [[1, 0], [-1, 0], [0, 1], [0, -1]].map(([x, y]) => `${x}px ${y}px 2px ${look.halo}`).join(', ');
  }

  hide(): void {
    this.labels = [];
    this.apply();
  }

  /** Selected bodies first, then the nearest; a name never covers another. */
  update(scene: SceneTable, poses: Poses, rig: CameraRig, selection: readonly number[]): void {
    const chosen = new Set(selection);
    const seen: { body: number; x: number; y: number; depth: number }[] = [];
    const point = new Vector3();
    const consider = (body: number): void => {
      const at = 8 * slotOf(body);
      if (poses.data[at + 3] === 0) return;
      point.set(poses.data[at], poses.data[at + 1], poses.data[at + 2]);
      if (!rig.project(point) || point.z < -1 || point.z > 1) return;
      if (point.x < 0 || point.x > rig.width || point.y < 0 || point.y > rig.height) return;
      seen.push({ body, x: point.x, y: point.y, depth: chosen.has(body) ? -2 : point.z });
    };
    scene.moving.forEach(consider);
    selection.filter((body) => scene.bodies[body]?.moving < 0).forEach(consider);
    seen.sort((a, b) => a.depth - b.depth);
    const taken = new Set<number>();
    this.labels = [];
    for (const { body, x, y } of seen) {
      if (this.labels.length === kMost) break;
      const [column, row] = [Math.floor(x / kCell[0]), Math.floor(y / kCell[1])];
      const keys = [column, column + 1].flatMap((c) => [row, row + 1].map((r) => 4096 * r + c));
      if (keys.some((key) => taken.has(key))) continue;
      keys.forEach((key) => taken.add(key));
      this.labels.push({ text: shortName(scene.bodies[body].name), x, y });
    }
    this.apply();
  }

  /** Onto a picture, whose pixels are `scale` times those of the page. */
  paint(context: CanvasRenderingContext2D, scale: number, look: Look): void {
    context.font = `${11 * scale}px system-ui, sans-serif`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.lineWidth = 3 * scale;
    context.lineJoin = 'round';
    context.strokeStyle = look.halo;
    context.fillStyle = look.text;
    for (const { text, x, y } of this.labels) {
      context.strokeText(text, x * scale, y * scale);
      context.fillText(text, x * scale, y * scale);
    }
  }

  private apply(): void {
    this.labels.forEach(({ text, x, y }, k) => {
      const span = (this.pool[k] ??= this.makeSpan());
      if (span.textContent !== text) span.textContent = text;
      span.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -50%)`;
      span.style.display = '';
    });
    for (let k = this.labels.length; k < this.pool.length; ++k) this.pool[k].style.display = 'none';
  }

  private makeSpan(): HTMLSpanElement {
    const span = document.createElement('span');
    Object.assign(span.style, { position: 'absolute', left: '0', top: '0', whiteSpace: 'nowrap', willChange: 'transform' });
    this.element.append(span);
    return span;
  }
}

function shortName(name: string): string {
  return name.length > kLongest ? `${name.slice(0, kLongest - 1)}…` : name;
}
