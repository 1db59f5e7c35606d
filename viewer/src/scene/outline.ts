// Outlines around the selected bodies and the one under the pointer.
//
// The bodies are drawn flat into a mask; the picture then gets a line wherever the mask ends. The line has the same
// width for all shapes, and is seen through what lies in front.
import { BufferAttribute, BufferGeometry, Mesh, Scene, ShaderMaterial, Vector2, Vector3, Vector4, WebGLRenderTarget } from 'three';
import type { WebGLRenderer } from 'three';
import type { Bodies } from './bodies';
import type { CameraRig } from './camera';
import { screenColor } from './overlays/common';
import type { Look } from './palette';
import type { PartTable } from './parts';
import { slotOf } from './poses';
import type { Poses } from './poses';

const kSelected = 0xff0000;
const kHovered = 0x00ff00;
const kWidth = 2; // px

export class Outline {
  /** Part of the scene; lies over the rectangle of the screen where there are outlines. */
  readonly mesh: Mesh<BufferGeometry, ShaderMaterial>;
  private readonly target = new WebGLRenderTarget(1, 1, { depthBuffer: false });
  private readonly masks = new Scene();
  private disposals: (() => void)[] = [];
  private shown: number[] = [];

  constructor() {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0), 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    const material = new ShaderMaterial({
      uniforms: {
        mask: { value: this.target.texture },
        texel: { value: new Vector2() },
        area: { value: new Vector4() }, // lower and upper corner, 0 to 1
        selected: { value: screenColor(0) },
        hovered: { value: screenColor(0) },
      },
      vertexShader: /* glsl */ `
        uniform vec4 area;
        varying vec2 at;
        void main() {
          at = mix(area.xy, area.zw, position.xy);
          gl_Position = vec4(2.0 * at - 1.0, 0.0, 1.0);
        }`,
      fragmentShader: /* glsl */ `
        uniform sampler2D mask;
        uniform vec2 texel;
        uniform vec3 selected, hovered;
        varying vec2 at;
        void main() {
          vec2 here = texture2D(mask, at).rg;
          vec2 around = vec2(0.0);
          for (int k = 0; k < 12; ++k) {
            float angle = 0.5235988 * float(k);
            around += texture2D(mask, at + texel * vec2(cos(angle), sin(angle))).rg;
          }
          vec2 line = clamp(around / 3.5, 0.0, 1.0) * (1.0 - here);
          float alpha = max(max(line.r, 0.85 * line.g), max(0.16 * here.r, 0.07 * here.g));
          if (alpha < 0.004) discard;
          float isSelected = max(line.r, here.r) >= max(line.g, here.g) ? 1.0 : 0.0;
          gl_FragColor = vec4(mix(hovered, selected, isSelected), alpha);
        }`,
      transparent: true,
      depthTest: false,
      depthWrite: false,
      toneMapped: false,
    });
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 50;
    this.mesh.visible = false;
  }

  setLook(look: Look): void {
    this.mesh.material.uniforms.selected.value = screenColor(look.outline);
    this.mesh.material.uniforms.hovered.value = screenColor(look.hover);
  }

  setBodies(bodies: Bodies, selection: readonly number[], hovered: number | null): void {
    this.clear();
    const isNew = hovered !== null && !selection.includes(hovered);
    this.shown = isNew ? [...selection, hovered] : [...selection];
    if (this.shown.length === 0) return;
    const masks = bodies.masks(selection, kSelected);
    if (isNew) masks.push(...bodies.masks([hovered], kHovered));
    for (const { mesh, dispose } of masks) {
      this.masks.add(mesh);
      this.disposals.push(dispose);
    }
  }

  /** Draws the mask; before the scene is drawn. */
  render(renderer: WebGLRenderer, rig: CameraRig, parts: PartTable, poses: Poses): void {
    const { uniforms } = this.mesh.material;
    this.mesh.visible = this.masks.children.length > 0 && this.findArea(rig, parts, poses);
    if (!this.mesh.visible) return;
    const size = renderer.getDrawingBufferSize(new Vector2());
    if (this.target.width !== size.x || this.target.height !== size.y) this.target.setSize(size.x, size.y);
    const width = kWidth * renderer.getPixelRatio();
    (uniforms.texel.value as Vector2).set(width / size.x, width / size.y);
    renderer.setRenderTarget(this.target);
    renderer.setClearColor(0x000000, 0);
    renderer.clear();
    renderer.render(this.masks, rig.camera);
    renderer.setRenderTarget(null);
  }

  clear(): void {
    this.disposals.splice(0).forEach((dispose) => dispose());
    this.masks.clear();
    this.shown = [];
  }

  dispose(): void {
    this.clear();
    this.target.dispose();
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }

  /** The rectangle around all outlines; false: none is on the screen. */
  private findArea(rig: CameraRig, parts: PartTable, poses: Poses): boolean {
    const area = this.mesh.material.uniforms.area.value as Vector4;
    const lower = [Infinity, Infinity];
    const upper = [-Infinity, -Infinity];
    const { right } = rig.axes();
    for (const body of this.shown) {
      const at = 8 * slotOf(body);
      const middle = new Vector3(poses.data[at], poses.data[at + 1], poses.data[at + 2]);
      const side = middle.clone().addScaledVector(new Vector3(...right), parts.reach[body]);
      if (!rig.project(middle) || !rig.project(side)) {
        area.set(0, 0, 1, 1);
        return true;
      }
      // A ball near the edge of a perspective picture is wider than in its middle.
      const radius = 1.5 * Math.hypot(side.x - middle.x, side.y - middle.y) + 2 * kWidth;
      const [x, y] = [middle.x, rig.height - middle.y];
      lower[0] = Math.min(lower[0], x - radius);
      lower[1] = Math.min(lower[1], y - radius);
      upper[0] = Math.max(upper[0], x + radius);
      upper[1] = Math.max(upper[1], y + radius);
    }
    const limit = (value: number, size: number): number => Math.min(1, Math.max(0, value / size));
    area.set(limit(lower[0], rig.width), limit(lower[1], rig.height), limit(upper[0], rig.width), limit(upper[1], rig.height));
    return area.x < area.z && area.y < area.w;
  }
}
