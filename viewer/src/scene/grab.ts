// Pulling a body with a spring.
import type { App } from '../app';
import type { Vec3 } from '../protocol';
import type { Ray } from './camera';
import type { OverlayUniforms } from './overlays/common';
import { Ribbons } from './overlays/ribbons';
import type { Poses } from './poses';
import type { Hit } from './raycast';

export class Grab {
  readonly ribbons: Ribbons;
  body: number | null = null;
  private point: Vec3 = [0, 0, 0]; // in the body frame
  private start: Vec3 = [0, 0, 0]; // world
  private normal: Vec3 = [0, 0, 1]; // of the plane in which the target moves
  private target: Vec3 | null = null; // not yet sent

  constructor(private readonly app: App, private readonly poses: Poses, shared: OverlayUniforms) {
    this.ribbons = new Ribbons(shared, 3, 1);
    this.ribbons.clear();
  }

  canGrab(body: number): boolean {
    const { app } = this;
    return app.can('drag') && app.player.following.value && app.scene.value?.bodies[body]?.motion === 'dynamic';
  }

  begin(hit: Hit, facing: Vec3): void {
    this.body = hit.body;
    this.start = hit.point;
    this.normal = this.app.scene.value?.hello.scene.planar ? [0, 0, 1] : facing;
    this.point = this.poses.toLocal(hit.body, hit.point, [0, 0, 0]) as Vec3;
  }

  /** The target follows the pointer; it is sent with the next picture. */
  move(ray: Ray): void {
    if (this.body === null) return;
    const along = dot(ray.direction, this.normal);
    if (Math.abs(along) < 1e-3) return; // seen from the side, the plane has no such point
    const t = dot(this.start.map((s, d) => s - ray.origin[d]) as Vec3, this.normal) / along;
    this.target = ray.origin.map((o, d) => o + t * ray.direction[d]) as Vec3;
  }

  /** Once per picture; true when there is something new to draw. */
  flush(): boolean {
    if (this.body === null || !this.target) return false;
    const { body, point, target } = this;
    this.target = null;
    this.app.send({ type: 'drag', body, point, target });
    this.ribbons.begin(1);
    this.ribbons.add(body, point, -1, target, 0xf59f00);
    this.ribbons.end();
    return true;
  }

  end(): void {
    if (this.body === null) return;
    this.body = null;
    this.target = null;
    this.app.send({ type: 'release' });
    this.ribbons.clear();
  }
}

function dot(a: Vec3, b: Vec3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
