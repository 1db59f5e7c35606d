// Lines of a given width in pixels. Each end is a point in the frame of a body, or of the world.
import { Group } from 'three';
import type { IUniform, Mesh } from 'three';
import { POSE_GLSL, slotOf } from '../poses';
import { disposeMeshes, InstanceColumn, overlayMeshes } from './common';
import type { OverlayUniforms } from './common';
import { quad } from './contacts';

const shader = {
  vertex: /* glsl */ `
    ${POSE_GLSL}
    attribute vec4 from, to; // place and slot
    attribute vec4 tint;
    uniform vec2 viewport;
    uniform float widthPixels, pixelRatio;
    varying vec4 vTint;
    varying float across;
    vec4 eyeOf(vec4 end, out float shown) {
      vec4 at, turned;
      readPose(end.w, at, turned);
      shown = at.w;
      return viewMatrix * vec4(at.xyz + turn(turned, end.xyz), 1.0);
    }
    void main() {
      vTint = tint;
      across = position.y;
      float shownA, shownB;
      vec4 a = eyeOf(from, shownA);
      vec4 b = eyeOf(to, shownB);
      // An end behind the camera is moved in front of it.
      if (projectionMatrix[2][3] < -0.5) {
        float near = -1e-3 * abs(projectionMatrix[3][2]);
        if (a.z > near && b.z < near) a = mix(a, b, (near - a.z) / (b.z - a.z));
        else if (b.z > near && a.z < near) b = mix(b, a, (near - b.z) / (a.z - b.z));
      }
      vec4 p = projectionMatrix * a;
      vec4 q = projectionMatrix * b;
      vec2 screenP = p.xy / p.w * viewport;
      vec2 screenQ = q.xy / q.w * viewport;
      vec2 along = screenQ - screenP;
      float span = length(along);
      along = span > 1e-6 ? along / span : vec2(1.0, 0.0);
      vec2 normal = vec2(-along.y, along.x);
      float wide = (widthPixels + 1.0) * pixelRatio;
      gl_Position = position.x < 0.0 ? p : q;
      gl_Position.xy += (normal * position.y + along * position.x * 0.4) * wide / viewport * gl_Position.w;
      gl_Position *= min(shownA, shownB);
    }`,
  fragment: /* glsl */ `
    uniform float widthPixels;
    varying vec4 vTint;
    varying float across;
    void main() {
      float edge = 1.0 - smoothstep(max(0.0, 1.0 - 2.0 / (widthPixels + 1.0)), 1.0, abs(across));
      vec4 color = vec4(vTint.rgb, vTint.a * edge);
      /*end*/
    }`,
};

export class Ribbons {
  readonly group = new Group();
  private readonly geometry = quad();
  private readonly from = new InstanceColumn([this.geometry], 'from', 4);
  private readonly to = new InstanceColumn([this.geometry], 'to', 4);
  private readonly tint = new InstanceColumn([this.geometry], 'tint', 4);
  private readonly meshes: Mesh[];
  private count = 0;

  constructor(shared: OverlayUniforms, widthPixels: number, shine: number) {
    const own: Record<string, IUniform> = { widthPixels: { value: widthPixels } };
    this.meshes = overlayMeshes(this.geometry, shader, { ...shared, ...own }, shine);
    this.group.add(...this.meshes);
  }

  /** Begins anew with room for `most` lines. */
  begin(most: number): void {
    this.count = 0;
    for (const column of [this.from, this.to, this.tint]) column.reserve(most);
  }

  /** Between points given in the frames of bodies; -1: the world. Colour is 0xrrggbb. */
  add(bodyA: number, a: ArrayLike<number>, bodyB: number, b: ArrayLike<number>, color: number, opacity = 1): void {
    const at = 4 * this.count++;
    const from = this.from.attribute.array;
    const to = this.to.attribute.array;
    const tint = this.tint.attribute.array;
    for (let d = 0; d < 3; ++d) {
      from[at + d] = a[d];
      to[at + d] = b[d];
      tint[at + d] = ((color >> (16 - 8 * d)) & 255) / 255;
    }
    from[at + 3] = slotOf(bodyA);
    to[at + 3] = slotOf(bodyB);
    tint[at + 3] = opacity;
  }

  end(): void {
    for (const column of [this.from, this.to, this.tint]) column.touch(this.count);
    this.geometry.instanceCount = this.count;
    this.group.visible = this.count > 0;
  }

  clear(): void {
    this.begin(0);
    this.end();
  }

  dispose(): void {
    disposeMeshes(this.meshes);
  }
}
