// Half-spaces as planes that fade with the distance, and the grid.
import { Color, DoubleSide, Group, Mesh, MeshLambertMaterial, PlaneGeometry, Quaternion, Vector3 } from 'three';
import type { Vec3 } from '../protocol';
import type { SceneTable } from '../scene_table';
import type { CameraRig, Sphere } from './camera';
import type { Look } from './palette';
import type { Poses } from './poses';
import { rotate } from './poses';
import { niceAbove } from './range';

const kCellPixels = 55; // a cell is at least as wide where the camera looks

const kVertex = /* glsl */ `
vec3 transformed = position;
vWorld = (modelMatrix * vec4(position, 1.0)).xyz;
`;

const kFragment = /* glsl */ `
{
  float away = distance(vWorld, focus) / fadeRadius;
  float fade = 1.0 - smoothstep(0.25, 1.0, away);
  float fill = filled;
  #ifdef SECTION
  // Planar scenes: the half-space is a region of the picture.
  float depth = -dot(vWorld - through, normalOut);
  float pixel = fwidth(depth);
  fill *= smoothstep(-pixel, pixel, depth) * (1.0 - smoothstep(0.0, 1.0, depth / sectionDepth));
  float border = 1.0 - smoothstep(pixel, 2.0 * pixel, abs(depth - pixel));
  diffuseColor = vec4(mix(diffuseColor.rgb, lineColor, 0.7 * border), max(fill, 0.8 * border) * fade);
  #else
  fill *= gl_FrontFacing ? 1.0 : 0.0;
  vec2 uv = vec2(dot(vWorld, axisU), dot(vWorld, axisV)) / cell;
  vec2 width = fwidth(uv);
  vec2 fine = 1.0 - smoothstep(width * 0.25, width * 1.25, abs(fract(uv - 0.5) - 0.5));
  vec2 coarse = 1.0 - smoothstep(width * 0.04, width * 0.14, abs(fract(uv / 10.0 - 0.5) - 0.5));
  fine *= 1.0 - smoothstep(0.12, 0.5, width);
  coarse *= 1.0 - smoothstep(1.2, 5.0, width);
  float line = gridOpacity * max(0.5 * max(fine.x, fine.y), max(coarse.x, coarse.y)) * (gl_FrontFacing ? 1.0 : 0.6);
  vec3 ink = lineColor;
  vec2 axis = hasAxes * (1.0 - smoothstep(width * 0.6, width * 1.6, abs(uv)));
  ink = mix(ink, vec3(0.62, 0.07, 0.06), axis.y);
  ink = mix(ink, vec3(0.05, 0.36, 0.08), axis.x);
  line = max(line, axisOpacity * max(axis.x, axis.y));
  gridInk = ink;
  gridLine = line * fade;
  diffuseColor.a = fill * fade;
  #endif
}
`;

interface PlaneUniforms {
  focus: { value: Vector3 };
  fadeRadius: { value: number };
  filled: { value: number };
  cell: { value: number };
  gridOpacity: { value: number };
  axisOpacity: { value: number };
  lineColor: { value: Color };
  axisU: { value: Vector3 };
  axisV: { value: Vector3 };
  hasAxes: { value: number };
  through: { value: Vector3 };
  normalOut: { value: Vector3 };
  sectionDepth: { value: number };
}

interface Plane {
  mesh: Mesh<PlaneGeometry, MeshLambertMaterial>;
  uniforms: PlaneUniforms;
  body: number; // -1: none, the grid of a scene without ground
  normal: Vec3; // in the body frame
  offset: number;
  isFloor: boolean;
}

export class Ground {
  readonly group = new Group();
  /** Edge of a cell, m. */
  cell = 1;
  private planes: Plane[] = [];
  private planar = false;
  private look: Look | null = null;
  private readonly quad = new PlaneGeometry(2, 2);

  constructor(private readonly poses: Poses) {}

  setScene(scene: SceneTable, extent: Sphere): void {
    this.clear();
    const { planar } = scene.hello.scene;
    this.planar = planar;
    const up = planar ? 1 : 2;
    const world = [0, 0, 0];
    let hasFloor = false;
    for (const part of scene.parts) {
      const shape = scene.shapes[part.shape];
      if (shape.kind !== 'half_space') continue;
      const [x, y, z, qw, qx, qy, qz] = part.pose;
      const normal: Vec3 = [0, 0, 0];
      rotate([qx, qy, qz, qw], 0, 1, ...shape.normal, normal);
      const offset = shape.offset + normal[0] * x + normal[1] * y + normal[2] * z;
      const q = scene.fixedPose(part.body);
      rotate([q[4], q[5], q[6], q[3]], 0, 1, ...normal, world);
      if (planar && Math.abs(world[2]) > 0.5) continue; // the plane of the picture itself
      const isFloor: boolean = !hasFloor && world[up] > 0.99;
      hasFloor ||= isFloor;
      this.add(part.body, normal, offset, isFloor, planar);
    }
    if (planar) this.add(-1, [0, 0, 1], extent.middle[2] - extent.radius * 0.02, true, false);
    else if (!hasFloor) this.add(-1, [0, 0, 1], scene.hello.bounds.lower[2], true, false);
    if (this.look) this.setLook(this.look);
  }

  setLook(look: Look): void {
    this.look = look;
    for (const { mesh, uniforms } of this.planes) {
      mesh.material.color.setHex(look.ground);
      uniforms.lineColor.value.setHex(look.gridLine);
    }
  }

  update(rig: CameraRig, showGrid: boolean): void {
    this.cell = niceAbove(kCellPixels * rig.pixelSize);
    const point = new Vector3();
    const normal = new Vector3();
    for (const plane of this.planes) {
      this.place(plane, normal, point);
      const { mesh, uniforms } = plane;
      const isSection = this.planar && plane.body >= 0;
      const isFloor = plane.isFloor;
      // The floor goes with the camera, walls stay around the scene: they would hide it.
      const middle = isFloor || isSection ? rig.target : rig.extent.middle;
      const radius = isFloor || isSection ? rig.groundRadius : 1.6 * rig.extent.radius;
      const focus = uniforms.focus.value.set(middle[0], middle[1], middle[2]);
      if (isSection) {
        focus.z = 0;
        mesh.quaternion.identity();
        uniforms.through.value.copy(point);
        uniforms.normalOut.value.copy(normal);
        uniforms.sectionDepth.value = 0.35 * rig.groundRadius;
      } else {
        focus.addScaledVector(normal, -normal.dot(focus) + normal.dot(point));
        mesh.quaternion.setFromUnitVectors(kUp, normal);
        tangents(normal, uniforms.axisU.value, uniforms.axisV.value);
      }
      mesh.position.copy(focus);
      mesh.scale.setScalar(radius);
      uniforms.fadeRadius.value = radius;
      uniforms.cell.value = this.cell;
      uniforms.filled.value = plane.body < 0 ? 0 : isFloor || isSection ? 1 : 0.35;
      uniforms.gridOpacity.value = showGrid ? (this.look?.gridOpacity ?? 0.3) : 0;
      uniforms.axisOpacity.value = showGrid ? 0.6 : 0;
      mesh.visible = plane.body >= 0 || showGrid;
      mesh.updateMatrixWorld();
    }
  }

  clear(): void {
    this.planes.forEach(({ mesh }) => mesh.material.dispose());
    this.planes = [];
    this.group.clear();
  }

  dispose(): void {
    this.clear();
    this.quad.dispose();
  }

  private place(plane: Plane, normal: Vector3, point: Vector3): void {
    const out = [0, 0, 0];
    const local = plane.normal.map((n) => n * plane.offset);
    this.poses.toWorld(plane.body, local, out);
    point.set(out[0], out[1], out[2]);
    rotate(this.poses.data, 8 * (plane.body + 1) + 4, 1, ...plane.normal, out);
    normal.set(out[0], out[1], out[2]);
  }

  private add(body: number, normal: Vec3, offset: number, isFloor: boolean, isSection: boolean): void {
    const uniforms: PlaneUniforms = {
      focus: { value: new Vector3() },
      fadeRadius: { value: 1 },
      filled: { value: 1 },
      cell: { value: 1 },
      gridOpacity: { value: 0.3 },
      axisOpacity: { value: 0.6 },
      lineColor: { value: new Color() },
      axisU: { value: new Vector3(1, 0, 0) },
      axisV: { value: new Vector3(0, 1, 0) },
      hasAxes: { value: isFloor ? 1 : 0 },
      through: { value: new Vector3() },
      normalOut: { value: new Vector3() },
      sectionDepth: { value: 1 },
    };
    const mesh = new Mesh(this.quad, planeMaterial(uniforms, isSection));
    mesh.receiveShadow = !isSection;
    mesh.frustumCulled = false;
    mesh.renderOrder = body < 0 ? -20 : -10;
    this.planes.push({ mesh, uniforms, body, normal, offset, isFloor });
    this.group.add(mesh);
  }
}

const kUp = new Vector3(0, 0, 1);
const kTurn = new Quaternion();

/** Along x and y on a level plane, so that lines lie at round coordinates. */
function tangents(normal: Vector3, u: Vector3, v: Vector3): void {
  kTurn.setFromUnitVectors(kUp, normal);
  u.set(1, 0, 0).applyQuaternion(kTurn);
  v.set(0, 1, 0).applyQuaternion(kTurn);
}

function planeMaterial(uniforms: PlaneUniforms, isSection: boolean): MeshLambertMaterial {
  const material = new MeshLambertMaterial({
    side: DoubleSide,
    transparent: true,
    toneMapped: false,
    depthWrite: false, // what is drawn later may lie on it or below
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 2,
  });
  material.defines = isSection ? { SECTION: '' } : {};
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nvarying vec3 vWorld;')
      .replace('#include <begin_vertex>', kVertex);
    const inputs = `varying vec3 vWorld;
      uniform vec3 focus, lineColor, axisU, axisV, through, normalOut;
      uniform float fadeRadius, filled, cell, gridOpacity, axisOpacity, hasAxes, sectionDepth;`;
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', `#include <common>\n${inputs}`)
      .replace('void main() {', 'void main() {\nvec3 gridInk = vec3(0.0); float gridLine = 0.0;')
      .replace('#include <color_fragment>', kFragment)
      // Lines lie over the shaded ground with their own colour; where there is no ground, they are all there is.
      .replace('#include <opaque_fragment>', `
        float solid = diffuseColor.a;
        float total = gridLine + solid * (1.0 - gridLine);
        outgoingLight = (outgoingLight * solid * (1.0 - gridLine) + gridInk * gridLine) / max(total, 1e-6);
        diffuseColor.a = total;
        #include <opaque_fragment>`);
  };
  material.customProgramCacheKey = () => `scree plane ${isSection}`;
  return material;
}
