// Contact points and contact forces. Script copies two columns; the card makes discs and arrows of them.
import { BufferAttribute, Group, InstancedBufferGeometry } from 'three';
import type { IUniform, Mesh } from 'three';
import type { ContactTable } from '../../protocol';
import type { Look } from '../palette';
import { Smooth } from '../range';
import { disposeMeshes, InstanceColumn, overlayMeshes, screenColor } from './common';
import type { OverlayUniforms } from './common';

const kClosed = 0xd9480f;
const kOpen = 0x4dabf7;
const kUsual = 0.95; // so many of the forces are not larger than the one whose arrow has the usual length
const kSample = 4000; // forces that are looked at for it

const points = {
  vertex: /* glsl */ `
    attribute vec3 point, force;
    uniform vec2 viewport;
    uniform float pixelRatio, discRadius;
    varying vec2 corner;
    varying float closed;
    void main() {
      corner = position.xy;
      closed = dot(force, force) > 0.0 ? 1.0 : 0.0;
      vec4 eye = viewMatrix * vec4(point, 1.0);
      gl_Position = projectionMatrix * eye;
      float pixels = discRadius * projectionMatrix[1][1] * viewport.y / gl_Position.w;
      float size = clamp(pixels, 2.5 * pixelRatio, 12.0 * pixelRatio);
      // Half of a disc on a surface would be inside it.
      gl_Position.z -= 2e-4 * gl_Position.w;
      gl_Position.xy += corner * size * gl_Position.w / viewport;
    }`,
  fragment: /* glsl */ `
    uniform vec3 closedColor, openColor, rimColor;
    varying vec2 corner;
    varying float closed;
    void main() {
      float r = length(corner);
      if (r > 1.0) discard;
      float soft = fwidth(r);
      vec4 color = vec4(mix(openColor, closedColor, closed), 1.0 - smoothstep(1.0 - soft, 1.0, r));
      color.rgb = mix(color.rgb, rimColor, 0.8 * smoothstep(0.72 - soft, 0.72 + soft, r));
      /*end*/
    }`,
};

// A corner of the arrow is (cos, sin, ring): the ring says which of tail, end of the shaft, base of the head and tip.
const arrows = {
  vertex: /* glsl */ `
    attribute vec3 point, force;
    uniform vec2 viewport;
    uniform float scale, threshold, pixelRatio, longest;
    varying float shade;
    void main() {
      float strength = length(force);
      float size = min(strength * scale, 2.5 * longest);
      vec3 along = strength > 0.0 ? force / strength : vec3(0.0, 0.0, 1.0);
      vec3 side = normalize(abs(along.z) < 0.9 ? cross(along, vec3(0.0, 0.0, 1.0)) : cross(along, vec3(1.0, 0.0, 0.0)));
      vec3 other = cross(along, side);
      vec4 clip = projectionMatrix * viewMatrix * vec4(point, 1.0);
      float pixel = 2.0 * clip.w / (projectionMatrix[1][1] * viewport.y);
      float thick = clamp(0.024 * longest, 0.9 * pixel * pixelRatio, 4.0 * pixel * pixelRatio);
      float head = min(6.0 * thick, 0.5 * size);
      float ring = position.z;
      float r = ring < 1.5 ? thick : ring < 2.5 ? 0.42 * head : 0.0;
      float z = ring < 0.5 ? 0.0 : ring < 2.5 ? size - head : size;
      vec3 radial = position.x * side + position.y * other;
      bool isShown = strength > threshold && strength > 0.0;
      vec3 world = isShown ? point + along * z + radial * r : point;
      vec3 facing = normalize(mat3(viewMatrix) * (radial + (ring > 1.5 ? 0.4 * along : vec3(0.0))));
      shade = 0.72 + 0.28 * clamp(facing.z + 0.35 * facing.y, 0.0, 1.0);
      gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
    }`,
  fragment: /* glsl */ `
    uniform vec3 arrowColor;
    varying float shade;
    void main() {
      vec4 color = vec4(arrowColor * shade, 1.0);
      /*end*/
    }`,
};

export class Contacts {
  readonly group = new Group();
  private readonly discs = quad();
  private readonly arrows = arrowGeometry(8);
  private readonly point = new InstanceColumn([this.discs, this.arrows], 'point', 3);
  private readonly force = new InstanceColumn([this.discs, this.arrows], 'force', 3);
  private readonly smooth = new Smooth(0.4);
  private usual = 0; // N, of a strong force that is no exception
  private readonly discMeshes: Mesh[];
  private readonly arrowMeshes: Mesh[];
  private readonly own: Record<'closedColor' | 'openColor' | 'rimColor' | 'arrowColor' | 'scale' | 'threshold' | 'longest' | 'discRadius', IUniform> = {
    closedColor: { value: screenColor(kClosed) },
    openColor: { value: screenColor(kOpen) },
    rimColor: { value: screenColor(0x000000) },
    arrowColor: { value: screenColor(0xc2255c) },
    scale: { value: 1 },
    threshold: { value: 0 },
    longest: { value: 1 },
    discRadius: { value: 0.1 },
  };

  constructor(shared: OverlayUniforms) {
    const uniforms = { ...shared, ...this.own };
    this.discMeshes = overlayMeshes(this.discs, points, uniforms, 0.25);
    this.arrowMeshes = overlayMeshes(this.arrows, arrows, uniforms, 0.22);
    this.group.add(...this.discMeshes, ...this.arrowMeshes);
    this.setContacts(undefined, 0);
  }

  setLook(look: Look): void {
    this.own.rimColor.value = screenColor(look.isDark ? 0xf4f4f4 : 0x2b1105);
    this.own.arrowColor.value = screenColor(look.isDark ? 0xff6fa5 : 0xb3124f);
  }

  show(discs: boolean, forces: boolean): void {
    this.discMeshes.forEach((mesh) => (mesh.visible = discs));
    this.arrowMeshes.forEach((mesh) => (mesh.visible = forces));
  }

  setContacts(contacts: ContactTable | undefined, seconds: number): void {
    const count = contacts?.count ?? 0;
    this.discs.instanceCount = this.arrows.instanceCount = count;
    if (!contacts || count === 0) return;
    this.point.reserve(count).set(contacts.point);
    this.force.reserve(count).set(contacts.force);
    this.point.touch(count);
    this.force.touch(count);
    this.usual = this.smooth.see(usualForce(contacts), seconds);
  }

  /** `radius`: of a disc that is not too small or too large on the screen, m. */
  setDiscRadius(radius: number): void {
    this.own.discRadius.value = radius;
  }

  /** `longest`: of the arrow of a strong force, m. The few stronger ones grow up to 2.5 times as long. */
  setScale(longest: number, threshold: number): void {
    this.own.scale.value = this.usual > 0 ? longest / this.usual : 0;
    this.own.longest.value = longest;
    this.own.threshold.value = threshold;
  }

  forget(): void {
    this.smooth.reset();
    this.setContacts(undefined, 0);
  }

  dispose(): void {
    disposeMeshes([...this.discMeshes, ...this.arrowMeshes]);
  }
}

/** A quantile of the sizes of the forces that are not zero, N: one hard blow shall not shrink all other arrows. */
function usualForce({ count, force }: ContactTable): number {
  const stride = Math.max(1, Math.floor(count / kSample));
  const sizes: number[] = [];
  for (let i = 0; i < count; i += stride) {
    const size = Math.hypot(force[3 * i], force[3 * i + 1], force[3 * i + 2]);
    if (size > 0 && size < Infinity) sizes.push(size);
  }
  return Float64Array.from(sizes).sort()[Math.floor(kUsual * (sizes.length - 1))] ?? 0;
}

export function quad(): InstancedBufferGeometry {
  const geometry = new InstancedBufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(Float32Array.of(-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0), 3));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  geometry.instanceCount = 0;
  return geometry;
}

function arrowGeometry(sides: number): InstancedBufferGeometry {
  const geometry = new InstancedBufferGeometry();
  const positions: number[] = [];
  const index: number[] = [];
  for (let ring = 0; ring < 4; ++ring) {
    for (let s = 0; s < sides; ++s) {
      const angle = (2 * Math.PI * s) / sides;
      positions.push(Math.cos(angle), Math.sin(angle), ring);
      if (ring === 3) continue;
      const [a, b] = [ring * sides + s, ring * sides + ((s + 1) % sides)];
      index.push(a, b, b + sides, a, b + sides, a + sides);
    }
  }
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(positions), 3));
  geometry.setIndex(index);
  geometry.instanceCount = 0;
  return geometry;
}
