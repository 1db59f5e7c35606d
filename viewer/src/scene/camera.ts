// The camera: it turns around a target, in perspective or not.
import { OrthographicCamera, PerspectiveCamera, Vector3 } from 'three';
import type { Camera } from 'three';
import type { Vec3 } from '../protocol';

export type Axis = 'x' | '-x' | 'y' | '-y' | 'z' | '-z' | 'oblique';

export interface Sphere {
  middle: Vec3;
  radius: number;
}

/** With the box it comes from. */
export interface Extent extends Sphere {
  half: Vec3; // half edges along the axes of the world, m
}

export interface Ray {
  origin: Vec3;
  direction: Vec3; // of length 1
}

interface View {
  target: Vec3;
  distance: number; // m, from the target
  azimuth: number; // rad
  elevation: number; // rad, above the ground
  aside: Pair; // px; where the target is seen, from the middle of the canvas to the right and down
}

type Pair = [number, number];

/** A part of the canvas, px from its upper left corner. */
export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

const kFieldOfView = (38 * Math.PI) / 180;
const kFlight = 0.38; // s
const kGentleFlight = 1; // s, when nobody asked for it
const kOblique = { azimuth: -0.96, elevation: 0.42 };
const kTan = Math.tan(kFieldOfView / 2);
const kFilled = 0.92; // of the free area
const kLeastFree = 80; // px; a smaller free area counts as this large

export class CameraRig {
  /** Size of what there is to see, m. */
  extent: Sphere = { middle: [0, 0, 0], radius: 1 };
  isOrthographic = false;
  width = 1; // px
  height = 1;
  /** The part of the canvas that nothing lies over. */
  freeArea: () => Area = () => ({ x: 0, y: 0, width: this.width, height: this.height });
  /** Something changed since the last update(). */
  isDirty = true;
  /** The user has moved the camera. */
  isTouched = false;
  private view: View = { target: [0, 0, 0], distance: 5, ...kOblique, aside: [0, 0] };
  private flight: { from: View; to: View; passed: number; seconds: number } | null = null;
  private upAxis: 'y' | 'z' = 'z';
  private readonly perspective = new PerspectiveCamera((kFieldOfView * 180) / Math.PI);
  private readonly orthographic = new OrthographicCamera();

  get camera(): PerspectiveCamera | OrthographicCamera {
    return this.isOrthographic ? this.orthographic : this.perspective;
  }

  get target(): Readonly<Vec3> {
    return this.view.target;
  }

  get distance(): number {
    return this.view.distance;
  }

  /** m that one pixel shows at the target. */
  get pixelSize(): number {
    return (2 * kTan * this.view.distance) / this.height;
  }

  get isFlying(): boolean {
    return this.flight !== null;
  }

  /** Planar scenes have y up and are looked at along -z. */
  start(planar: boolean, all: Extent): void {
    this.upAxis = planar ? 'y' : 'z';
    this.flight = null;
    const angles = planar ? { azimuth: 0, elevation: 0 } : kOblique;
    this.view = { target: [...all.middle], distance: 1, ...angles, aside: [0, 0] };
    this.view = this.viewOf(all);
    this.isDirty = true;
  }

  /** Shows the whole box, from the side it is seen from now. */
  frame(all: Extent): void {
    this.fly(this.viewOf(all));
  }

  /** The same without the user: gently. */
  refit(all: Extent): void {
    this.beginFlight(this.viewOf(all), kGentleFlight);
  }

  lookAlong(axis: Axis): void {
    if (axis === 'oblique') {
      const planar = this.upAxis === 'y';
      this.fly({ ...this.view, azimuth: planar ? 0.5 : kOblique.azimuth, elevation: planar ? 0.35 : kOblique.elevation });
      return;
    }
    const sign = axis.startsWith('-') ? 1 : -1; // the camera stands opposite to where it looks
    const letter = axis.at(-1) as 'x' | 'y' | 'z';
    const vertical = this.upAxis;
    if (letter === vertical) {
      this.fly({ ...this.view, azimuth: vertical === 'y' ? 0 : -Math.PI / 2, elevation: (sign * Math.PI) / 2 });
      return;
    }
    const first = vertical === 'z' ? 'x' : 'z'; // the axis of azimuth 0
    const azimuth = letter === first ? (sign > 0 ? 0 : Math.PI) : (sign * Math.PI) / 2;
    this.fly({ ...this.view, azimuth, elevation: 0 });
  }

  /** Moves the target there, into the middle of the free area. */
  center(point: Readonly<Vec3>, distance = this.view.distance): void {
    this.fly({ ...this.view, target: [...point], distance, aside: this.freeMiddle() });
  }

  /** Moves at once, as what the camera follows does. */
  shift(by: Readonly<Vec3>): void {
    if (by[0] === 0 && by[1] === 0 && by[2] === 0) return;
    const views = this.flight ? [this.view, this.flight.from, this.flight.to] : [this.view];
    for (const view of views) view.target = [view.target[0] + by[0], view.target[1] + by[1], view.target[2] + by[2]];
    this.isDirty = true;
  }

  /** By pixels of the pointer. */
  orbit(dx: number, dy: number): void {
    this.take();
    const speed = Math.PI / Math.max(300, this.height);
    this.view.azimuth -= dx * speed;
    const limit = Math.PI / 2;
    this.view.elevation = Math.min(limit, Math.max(-limit, this.view.elevation + dy * speed));
    this.isDirty = true;
  }

  pan(dx: number, dy: number): void {
    this.take();
    const { right, up } = this.axes();
    const m = this.pixelSize;
    this.shift([0, 1, 2].map((d) => m * (dy * up[d] - dx * right[d])) as Vec3);
  }

  /** The point stays where it is on the screen. */
  zoom(factor: number, about: Readonly<Vec3>): void {
    this.take();
    const most = 200 * this.extent.radius;
    const least = 1e-4 * this.extent.radius;
    const distance = Math.min(most, Math.max(least, this.view.distance * factor));
    const f = distance / this.view.distance;
    this.view.target = this.view.target.map((t, d) => about[d] + f * (t - about[d])) as Vec3;
    this.view.distance = distance;
    this.isDirty = true;
  }

  /** Of the pixel (x, y) from the upper left corner. */
  ray(x: number, y: number): Ray {
    const { right, up, back } = this.axes();
    const { target, distance } = this.view;
    const m = this.pixelSize;
    const u = m * (x - this.width / 2 - this.view.aside[0]);
    const v = m * (this.height / 2 + this.view.aside[1] - y);
    const through = target.map((t, d) => t + u * right[d] + v * up[d]) as Vec3;
    if (this.isOrthographic) {
      const away = distance + this.reach();
      const origin = through.map((p, d) => p + away * back[d]) as Vec3;
      return { origin, direction: [-back[0], -back[1], -back[2]] };
    }
    const origin = target.map((t, d) => t + distance * back[d]) as Vec3;
    const length = Math.hypot(through[0] - origin[0], through[1] - origin[1], through[2] - origin[2]);
    return { origin, direction: through.map((p, d) => (p - origin[d]) / length) as Vec3 };
  }

  /** Where the ray meets the plane through `point` that faces the camera. */
  onFacingPlane(ray: Ray, point: Readonly<Vec3>): Vec3 {
    const { back } = this.axes();
    const along = dot(ray.direction, back);
    const t = ((point[0] - ray.origin[0]) * back[0] + (point[1] - ray.origin[1]) * back[1] + (point[2] - ray.origin[2]) * back[2]) / along;
    return ray.origin.map((o, d) => o + t * ray.direction[d]) as Vec3;
  }

  /** Moves along a flight and brings the cameras up to date; true when the picture changes by it. */
  update(seconds: number): boolean {
    if (this.flight) this.advance(seconds);
    if (!this.isDirty) return false;
    this.isDirty = false;
    const { up, back } = this.axes();
    const { target, distance, aside } = this.view;
    const reach = this.reach();
    const halfHeight = kTan * distance;
    const aspect = this.width / this.height;
    const far = distance + reach;
    this.perspective.aspect = aspect;
    this.perspective.near = Math.max(far / 20000, 0.4 * (distance - reach), 0.004 * distance);
    this.perspective.far = far;
    this.orthographic.top = halfHeight;
    this.orthographic.bottom = -halfHeight;
    this.orthographic.right = halfHeight * aspect;
    this.orthographic.left = -halfHeight * aspect;
    this.orthographic.near = Math.min(0, distance - reach);
    this.orthographic.far = far;
    for (const camera of [this.perspective, this.orthographic]) {
      camera.position.set(...(target.map((t, d) => t + distance * back[d]) as Vec3));
      camera.up.set(...up);
      camera.lookAt(...target);
      camera.setViewOffset(this.width, this.height, -aside[0], -aside[1], this.width, this.height);
      camera.updateProjectionMatrix();
      camera.updateMatrixWorld();
    }
    return true;
  }

  /** Position on the screen in pixels, and depth from -1 to 1; false when it is behind the camera. */
  project(point: Vector3): boolean {
    const camera: Camera = this.camera;
    point.applyMatrix4(camera.matrixWorldInverse);
    const isAhead = this.isOrthographic || point.z < 0;
    point.applyMatrix4(camera.projectionMatrix);
    point.x = ((point.x + 1) * this.width) / 2;
    point.y = ((1 - point.y) * this.height) / 2;
    return isAhead;
  }

  /** The point, which is projected, is seen where nothing lies over the canvas. */
  isInFreeArea(point: Vector3): boolean {
    if (!this.project(point)) return false;
    const { x, y, width, height } = this.freeArea();
    const isWithin = (at: number, from: number, length: number): boolean =>
      2 * Math.abs(at - from - length / 2) < Math.max(kLeastFree, length);
    return isWithin(point.x, x, width) && isWithin(point.y, y, height);
  }

  /** Unit vectors of the screen in the world; `back` points to the viewer. */
  axes(): { right: Vec3; up: Vec3; back: Vec3 } {
    const { azimuth, elevation } = this.view;
    const [ca, sa, ce, se] = [Math.cos(azimuth), Math.sin(azimuth), Math.cos(elevation), Math.sin(elevation)];
    // In terms of (first, second, vertical), which are x, y, z or, with y up, z, x, y.
    const back: Vec3 = [ce * ca, ce * sa, se];
    const up: Vec3 = [-se * ca, -se * sa, ce];
    const right: Vec3 = [-sa, ca, 0];
    if (this.upAxis === 'z') return { right, up, back };
    const cycle = (v: Vec3): Vec3 => [v[1], v[2], v[0]];
    return { right: cycle(right), up: cycle(up), back: cycle(back) };
  }

  private freeMiddle(): Pair {
    const { x, y, width, height } = this.freeArea();
    return [x + (width - this.width) / 2, y + (height - this.height) / 2];
  }

  /** From where the box fills the free area, seen from the side it is seen from now. */
  private viewOf({ middle, half }: Extent): View {
    const { right, up, back } = this.axes();
    const corners = Array.from({ length: 8 }, (_, corner) => {
      const at = half.map((h, d) => ((corner >> d) & 1 ? h : -h)) as Vec3;
      return { x: dot(at, right), y: dot(at, up), z: this.isOrthographic ? 0 : dot(at, back) };
    });
    const free = this.freeArea();
    const wide = (kFilled * kTan * Math.max(kLeastFree, free.width)) / this.height; // tangents of the angles that are free
    const high = (kFilled * kTan * Math.max(kLeastFree, free.height)) / this.height;
    let [x, y, distance] = [0, 0, 1e-9];
    // In perspective what is near takes more room than what is far: the middle of the box is not that of its picture.
    for (let round = 0; round < 6; ++round) {
      distance = 1e-9;
      for (const at of corners) distance = Math.max(distance, Math.abs(at.x - x) / wide + at.z, Math.abs(at.y - y) / high + at.z);
      const seen = (offset: (at: { x: number; y: number; z: number }) => number): number => {
        const angles = corners.map((at) => offset(at) / (distance - at.z));
        return ((Math.min(...angles) + Math.max(...angles)) / 2) * distance;
      };
      const [moveX, moveY] = [seen((at) => at.x - x), seen((at) => at.y - y)];
      x += moveX;
      y += moveY;
    }
    const target = middle.map((m, d) => m + x * right[d] + y * up[d]) as Vec3;
    return { ...this.view, target, distance, aside: this.freeMiddle() };
  }

  /** Nothing that is drawn is further from the target. */
  private reach(): number {
    const { middle, radius } = this.extent;
    const away = Math.hypot(...this.view.target.map((t, d) => t - middle[d]));
    return Math.max(away + 1.5 * radius, this.groundRadius * 1.05);
  }

  /** m around the target up to where the ground can be seen. */
  get groundRadius(): number {
    return 5 * Math.max(this.extent.radius, this.view.distance);
  }

  /** The user moves it by hand. */
  private take(): void {
    this.flight = null;
    this.isTouched = true;
  }

  private fly(to: View): void {
    this.isTouched = true;
    this.beginFlight(to, kFlight);
  }

  private beginFlight(to: View, seconds: number): void {
    const turn = 2 * Math.PI;
    const from = { ...this.view };
    from.azimuth -= turn * Math.round((from.azimuth - to.azimuth) / turn);
    this.flight = { from, to, passed: 0, seconds };
  }

  private advance(seconds: number): void {
    const flight = this.flight!;
    flight.passed = Math.min(flight.seconds, flight.passed + Math.min(seconds, 0.2));
    const t = flight.passed / flight.seconds;
    const s = t * t * (3 - 2 * t);
    const { from, to } = flight;
    const mix = (a: number, b: number): number => a + s * (b - a);
    this.view = {
      target: from.target.map((a, d) => mix(a, to.target[d])) as Vec3,
      distance: Math.exp(mix(Math.log(from.distance), Math.log(to.distance))),
      azimuth: mix(from.azimuth, to.azimuth),
      elevation: mix(from.elevation, to.elevation),
      aside: from.aside.map((a, d) => mix(a, to.aside[d])) as Pair,
    };
    if (t >= 1) this.flight = null;
    this.isDirty = true;
  }
}

function dot(a: Readonly<Vec3>, b: Readonly<Vec3>): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
