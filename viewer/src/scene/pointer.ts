// Mouse, pen and fingers on the picture.
//
// Left turns the view, right, middle or Shift moves it, the wheel zooms, a click selects, Ctrl or Alt pulls a body.
import type { App } from '../app';
import type { Vec3 } from '../protocol';
import type { CameraRig } from './camera';
import type { Grab } from './grab';
import type { Hit } from './raycast';

const kClick = 4; // px; further is a drag
const kRest = 90; // ms without moving, then what lies under the pointer is looked for

export interface PointerHooks {
  pick(x: number, y: number): Hit | null;
  hover(body: number | null): void;
  /** Selects the body and looks at it. */
  focus(body: number): void;
}

type Action = 'orbit' | 'pan' | 'pull';

interface Press {
  x: number;
  y: number;
  action: Action;
  hit: Hit | null;
  hasMoved: boolean;
  isClick: boolean; // of the button that selects
}

export class PointerControl {
  /** px in the canvas; null: it is elsewhere. */
  last: { x: number; y: number } | null = null;
  private readonly fingers = new Map<number, { x: number; y: number }>();
  private press: Press | null = null;
  private restTimer = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly app: App,
    private readonly rig: CameraRig,
    private readonly grab: Grab,
    private readonly hooks: PointerHooks,
  ) {
    canvas.style.touchAction = 'none';
    canvas.addEventListener('pointerdown', (event) => this.onDown(event));
    canvas.addEventListener('pointermove', (event) => this.onMove(event));
    canvas.addEventListener('pointerup', (event) => this.onUp(event, true));
    canvas.addEventListener('pointercancel', (event) => this.onUp(event, false));
    canvas.addEventListener('pointerleave', () => this.onLeave());
    canvas.addEventListener('wheel', (event) => this.onWheel(event), { passive: false });
    canvas.addEventListener('dblclick', (event) => this.onDoubleClick(event));
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  private place(event: MouseEvent): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private onDown(event: PointerEvent): void {
    const { x, y } = this.place(event);
    this.canvas.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, { x, y });
    this.stopHover();
    if (this.fingers.size > 1) {
      this.release();
      return;
    }
    const hit = event.button === 0 ? this.hooks.pick(x, y) : null;
    this.press = { x, y, action: this.actionOf(event, hit), hit, hasMoved: false, isClick: event.button === 0 };
  }

  private actionOf(event: PointerEvent, hit: Hit | null): Action {
    if (event.button !== 0 || event.shiftKey) return 'pan';
    const wantsPull = event.ctrlKey || event.altKey || (hit !== null && this.app.selection.value.includes(hit.body));
    return hit && wantsPull && this.grab.canGrab(hit.body) ? 'pull' : 'orbit';
  }

  private onMove(event: PointerEvent): void {
    const now = this.place(event);
    this.last = now;
    const before = this.fingers.get(event.pointerId);
    if (!before) {
      this.scheduleHover();
      return;
    }
    if (this.fingers.size > 1) {
      this.pinch(event.pointerId, before, now);
      this.fingers.set(event.pointerId, now);
      return;
    }
    const { press } = this;
    if (!press) return;
    if (!press.hasMoved && Math.hypot(now.x - press.x, now.y - press.y) <= kClick) return;
    if (!press.hasMoved) {
      press.hasMoved = true;
      if (press.action === 'pull') this.grab.begin(press.hit!, this.rig.axes().back);
    }
    if (press.action === 'orbit') this.rig.orbit(now.x - before.x, now.y - before.y);
    else if (press.action === 'pan') this.rig.pan(now.x - before.x, now.y - before.y);
    else this.grab.move(this.rig.ray(now.x, now.y));
    this.canvas.style.cursor = press.action === 'pan' ? 'move' : 'grabbing';
    this.fingers.set(event.pointerId, now);
  }

  /** Two fingers: the points under them stay under them, as far as moving and zooming can do. */
  private pinch(id: number, before: { x: number; y: number }, now: { x: number; y: number }): void {
    const other = [...this.fingers].find(([key]) => key !== id)?.[1];
    if (!other) return;
    const spread = (p: { x: number; y: number }): number => Math.max(10, Math.hypot(p.x - other.x, p.y - other.y));
    this.rig.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
    const about = this.rig.onFacingPlane(this.rig.ray((now.x + other.x) / 2, (now.y + other.y) / 2), this.rig.target);
    this.rig.zoom(spread(before) / spread(now), about);
  }

  private onUp(event: PointerEvent, isDone: boolean): void {
    this.fingers.delete(event.pointerId);
    const { press } = this;
    this.release();
    this.canvas.style.cursor = '';
    if (!isDone || !press || press.hasMoved || !press.isClick) return;
    const extend = event.shiftKey || event.ctrlKey || event.metaKey;
    if (press.hit) this.app.select(press.hit.body, extend);
    else if (!extend) this.app.select(null);
  }

  private release(): void {
    this.press = null;
    this.grab.end();
  }

  private onLeave(): void {
    this.last = null;
    this.stopHover();
  }

  private onWheel(event: WheelEvent): void {
    event.preventDefault();
    const { x, y } = this.place(event);
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? 300 : 1;
    // Fingers spread on a touchpad come as small turns of the wheel with Ctrl.
    const speed = event.ctrlKey ? 0.01 : 0.0014;
    const turned = Math.max(-400, Math.min(400, event.deltaY * lines));
    const ray = this.rig.ray(x, y);
    const point: Readonly<Vec3> = this.hooks.pick(x, y)?.point ?? this.rig.target;
    this.rig.zoom(Math.exp(speed * turned), this.rig.onFacingPlane(ray, point));
    this.stopHover();
  }

  private onDoubleClick(event: MouseEvent): void {
    const { x, y } = this.place(event);
    const hit = this.hooks.pick(x, y);
    if (hit) this.hooks.focus(hit.body);
  }

  private scheduleHover(): void {
    window.clearTimeout(this.restTimer);
    this.restTimer = window.setTimeout(() => {
      if (!this.last || this.fingers.size > 0) return;
      const hit = this.hooks.pick(this.last.x, this.last.y);
      this.hooks.hover(hit?.body ?? null);
      this.canvas.style.cursor = hit ? 'pointer' : '';
    }, kRest);
  }

  private stopHover(): void {
    window.clearTimeout(this.restTimer);
    this.hooks.hover(null);
    this.canvas.style.cursor = '';
  }
}
