// Centres of mass: the quartered disc of engineering drawings, on top of everything.
import { Group } from 'three';
import type { Mesh } from 'three';
import type { SceneTable } from '../../scene_table';
import { POSE_GLSL, slotOf } from '../poses';
import { disposeMeshes, InstanceColumn, overlayMeshes } from './common';
import type { OverlayUniforms } from './common';
import { quad } from './contacts';

const shader = {
  vertex: /* glsl */ `
    ${POSE_GLSL}
    attribute vec4 center; // in the body frame, and the slot
    uniform vec2 viewport;
    uniform float pixelRatio, sceneRadius;
    varying vec2 corner;
    void main() {
      corner = position.xy;
      vec4 at, turned;
      readPose(center.w, at, turned);
      gl_Position = projectionMatrix * viewMatrix * vec4(at.xyz + turn(turned, center.xyz), 1.0);
      float pixels = 0.025 * sceneRadius * projectionMatrix[1][1] * viewport.y / gl_Position.w;
      float size = clamp(pixels, 4.0 * pixelRatio, 14.0 * pixelRatio) * at.w;
      gl_Position.xy += corner * size * gl_Position.w / viewport;
    }`,
  fragment: /* glsl */ `
    varying vec2 corner;
    void main() {
      float r = length(corner);
      if (r > 1.0) discard;
      float soft = fwidth(r);
      float dark = corner.x * corner.y > 0.0 || r > 0.8 ? 1.0 : 0.0;
      vec4 color = vec4(mix(vec3(1.0, 0.83, 0.2), vec3(0.07), dark), 1.0 - smoothstep(1.0 - soft, 1.0, r));
      /*end*/
    }`,
};

export class Centers {
  readonly group = new Group();
  private readonly geometry = quad();
  private readonly center = new InstanceColumn([this.geometry], 'center', 4);
  private readonly meshes: Mesh[];

  constructor(shared: OverlayUniforms) {
    this.meshes = overlayMeshes(this.geometry, shader, { ...shared }, 1);
    this.group.add(...this.meshes);
  }

  setScene(scene: SceneTable): void {
    const { moving, bodies } = scene;
    const array = this.center.reserve(moving.length);
    moving.forEach((body, m) => array.set([...bodies[body].centerOfMass, slotOf(body)], 4 * m));
    this.center.touch(moving.length);
    this.geometry.instanceCount = moving.length;
  }

  dispose(): void {
    disposeMeshes(this.meshes);
  }
}
