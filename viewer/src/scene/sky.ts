// Background and light.
import {
  BufferAttribute, BufferGeometry, Color, DirectionalLight, Group, HemisphereLight, Mesh, ShaderMaterial, Vector2, Vector3,
} from 'three';
import type { Sphere } from './camera';
import type { Look } from './palette';

/** A vertical gradient behind everything. */
export class Sky {
  readonly mesh: Mesh;
  private readonly material: ShaderMaterial;

  constructor() {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(Float32Array.of(-1, -1, 0, 3, -1, 0, -1, 3, 0), 3));
    this.material = new ShaderMaterial({
      uniforms: { top: { value: new Color() }, bottom: { value: new Color() } },
      vertexShader: /* glsl */ `
        varying float height;
        void main() { height = 0.5 + 0.5 * position.y; gl_Position = vec4(position.xy, 1.0, 1.0); }`,
      // A little noise hides the steps of 8 bits.
      fragmentShader: /* glsl */ `
        uniform vec3 top, bottom;
        varying float height;
        void main() {
          float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
          gl_FragColor = vec4(mix(bottom, top, smoothstep(0.0, 1.0, height)) + (noise - 0.5) / 255.0, 1.0);
        }`,
      depthTest: false,
      depthWrite: false,
      toneMapped: false,
    });
    this.mesh = new Mesh(geometry, this.material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -1000;
  }

  setLook(look: Look): void {
    // The shader writes to the screen as it is, so these stay in sRGB.
    (this.material.uniforms.top.value as Color).setHex(look.top).convertLinearToSRGB();
    (this.material.uniforms.bottom.value as Color).setHex(look.bottom).convertLinearToSRGB();
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.material.dispose();
  }
}

const kSun = new Vector3(0.42, -0.5, 0.92).normalize();
const kPlanarSun = new Vector3(-0.3, 0.45, 0.95).normalize();

const kMostOnProcessor = 4000; // parts whose shadows a processor alone can draw

/** Sky light and a sun whose shadow falls on a given sphere. */
export class Lights {
  readonly group = new Group();
  isSoftware = false;
  private readonly hemisphere = new HemisphereLight();
  private readonly sun = new DirectionalLight();
  private fitted: Sphere = { middle: [0, 0, 0], radius: 0 };
  private direction = kSun;
  private isTooMuch = false; // a shadow is a second drawing of all bodies

  constructor() {
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.radius = 2.2;
    this.group.add(this.hemisphere, this.sun, this.sun.target);
  }

  setLook(look: Look): void {
    this.hemisphere.color.setHex(look.sky);
    this.hemisphere.groundColor.setHex(look.earth);
    this.hemisphere.intensity = look.skyIntensity;
    this.sun.intensity = look.sunIntensity;
    this.sun.shadow.intensity = look.isDark ? 0.85 : 0.75;
  }

  setScene(planar: boolean, parts: number): void {
    this.direction = planar ? kPlanarSun : kSun;
    this.hemisphere.position.set(0, planar ? 1 : 0, planar ? 0 : 1);
    this.fitted.radius = 0;
    this.isTooMuch = this.isSoftware && parts > kMostOnProcessor;
    const size = parts > 20000 || this.isSoftware ? 1024 : parts > 3000 ? 1536 : 2048;
    if (this.sun.shadow.mapSize.x === size) return;
    this.sun.shadow.mapSize.copy(new Vector2(size, size));
    this.sun.shadow.map?.dispose();
    this.sun.shadow.map = null;
  }

  set shadows(on: boolean) {
    this.sun.castShadow = on && !this.isTooMuch;
  }

  /** Keeps the shadow where it is while it still fits: one that is moved a little trembles. */
  fit(sphere: Sphere): void {
    const { middle, radius } = this.fitted;
    const away = Math.hypot(...sphere.middle.map((x, d) => x - middle[d]));
    if (away + sphere.radius <= radius && sphere.radius > 0.5 * radius) return;
    const r = 1.15 * sphere.radius;
    this.fitted = { middle: [...sphere.middle], radius: r };
    this.sun.target.position.set(...sphere.middle);
    this.sun.position.set(...sphere.middle).addScaledVector(this.direction, 3 * r);
    this.sun.target.updateMatrixWorld();
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -r;
    camera.right = camera.top = r;
    camera.near = 0.5 * r;
    camera.far = 5 * r;
    camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = (1.2 * 2 * r) / this.sun.shadow.mapSize.x;
  }

  dispose(): void {
    this.sun.dispose();
    this.hemisphere.dispose();
  }
}
