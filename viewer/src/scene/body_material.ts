// Materials that place their vertices by the texture of poses and take their colour from the texture of colours.
import { DoubleSide, FrontSide, MeshBasicMaterial, MeshDepthMaterial, MeshLambertMaterial, MeshStandardMaterial } from 'three';
import type { IUniform, Material } from 'three';
import type { Batch } from './batch';
import { drawBalls } from './ball_material';
import { COLOR_GLSL } from './coloring';
import { POSE_GLSL } from './poses';
import { ROW_GLSL } from './row_texture';

/** What the geometry of a batch has besides positions and normals. */
export interface Traits {
  isRepeated: boolean; // slot and size in the rows of a texture; otherwise slot per vertex, in the body frame
  hasPartPoses: boolean;
  isCapsule: boolean;
  hasRims: boolean;
  isRound: boolean; // balls: a pattern shows that they turn
  isOpen: boolean; // both sides are seen
  isBall: boolean; // squares that are drawn as spheres
}

export interface SharedUniforms {
  poses: IUniform;
  bodyColors: IUniform;
  rimLight: IUniform; // at the borders of bodies, so that dark ones are seen before a dark background
}

const kVertexInputs = /* glsl */ `
#ifdef REPEATED
uniform highp sampler2D partRows;
#else
attribute float slot;
#endif
#ifdef CAPSULE
attribute float cap;
#endif
#ifdef COLORED
varying vec4 vBodyColor;
#ifdef RIMS
attribute vec3 rim;
varying vec3 vRim;
#endif
#if defined(ROUND) && !defined(BALL)
varying vec3 vLocal;
#endif
#endif
`;

const kReadPose = /* glsl */ `
#ifdef REPEATED
#ifdef PART_POSES
const int partWidth = 4;
vec4 partAt = texelOf(partRows, partWidth, 1);
vec4 partTurn = texelOf(partRows, partWidth, 2);
#else
const int partWidth = 1;
#endif
vec4 part = texelOf(partRows, partWidth, 0);
float slot = part.x;
vec3 size = part.yzw;
#endif
vec4 bodyAt, bodyTurn;
readPose(slot, bodyAt, bodyTurn);
#ifdef COLORED
vBodyColor = bodyColor(slot);
#ifdef RIMS
vRim = rim;
#endif
#if defined(ROUND) && !defined(BALL)
vLocal = position;
#endif
#endif
`;

const kNormal = /* glsl */ `
vec3 objectNormal = normal;
#ifdef REPEATED
objectNormal = normalize(objectNormal / size);
#endif
#ifdef PART_POSES
objectNormal = turn(partTurn, objectNormal);
#endif
objectNormal = turn(bodyTurn, objectNormal);
`;

const kPosition = /* glsl */ `
vec3 transformed = position;
#ifdef REPEATED
transformed *= size;
#endif
#ifdef CAPSULE
transformed.z += cap * partAt.w;
#endif
#ifdef PART_POSES
transformed = partAt.xyz + turn(partTurn, transformed);
#endif
#ifdef REPEATED
if (!isRow()) bodyAt.w = 0.0;
#endif
// Hidden bodies shrink to a point.
transformed = bodyAt.xyz + bodyAt.w * turn(bodyTurn, transformed);
`;

const kFragmentInputs = /* glsl */ `
uniform float rimLight;
varying vec4 vBodyColor;
#ifdef RIMS
varying vec3 vRim;
#endif
#if defined(ROUND) && !defined(BALL)
varying vec3 vLocal;
#endif
`;

const kColor = /* glsl */ `
diffuseColor.rgb *= vBodyColor.rgb;
float edge = 0.0;
#ifdef ROUND
{
  float octant = vLocal.x * vLocal.y * vLocal.z;
  float soft = fwidth(octant) + 1e-5;
  diffuseColor.rgb *= mix(0.8, 1.0, smoothstep(-soft, soft, octant));
}
#endif
#ifdef RIMS
{
  vec3 pixel = fwidth(vRim);
  vec3 near = smoothstep(pixel * 0.3, pixel * 1.5 + 1e-6, vRim);
  float line = 1.0 - min(min(near.x, near.y), near.z);
  // Where faces are a few pixels wide, lines would be noise.
  line *= 1.0 - smoothstep(0.06, 0.25, max(max(pixel.x, pixel.y), pixel.z));
  diffuseColor.rgb *= 1.0 - 0.42 * line;
  edge = line;
}
#endif
#ifdef FADES
if (vBodyColor.a < 0.5 && edge < 0.4) discard;
#endif
`;

const kRimLight = /* glsl */ `
if (rimLight > 0.0) {
  vec3 toEye = isOrthographic ? vec3(0.0, 0.0, 1.0) : normalize(vViewPosition);
  float grazing = 1.0 - clamp(dot(toEye, normal), 0.0, 1.0);
  outgoingLight += rimLight * grazing * grazing * grazing;
}
#include <opaque_fragment>
`;

/** Makes `material` one of those of this file. `colored`: it shows the colours of bodies. */
function place<M extends Material>(material: M, { traits, uniforms }: Batch, shared: SharedUniforms, colored: boolean): M {
  const defines: Record<string, unknown> = { ...material.defines };
  if (traits.isRepeated) defines.REPEATED = '';
  if (traits.hasPartPoses) defines.PART_POSES = '';
  if (traits.isCapsule) defines.CAPSULE = '';
  if (traits.hasRims) defines.RIMS = '';
  if (traits.isRound) defines.ROUND = '';
  if (traits.isBall) defines.BALL = '';
  if (colored) defines.COLORED = '';
  material.defines = defines;
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, shared, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\n${POSE_GLSL}${traits.isRepeated ? ROW_GLSL : ''}${colored ? COLOR_GLSL : ''}${kVertexInputs}`)
      .replace('#include <uv_vertex>', `#include <uv_vertex>\n${kReadPose}`)
      .replace('#include <beginnormal_vertex>', kNormal)
      .replace('#include <begin_vertex>', kPosition);
    if (colored) {
      shader.fragmentShader = shader.fragmentShader
        .replace('#include <common>', `#include <common>\n${kFragmentInputs}`)
        .replace('#include <color_fragment>', kColor)
        .replace('#include <opaque_fragment>', kRimLight);
    }
    if (traits.isBall) drawBalls(shader, colored);
  };
  // The programs differ by their defines alone, which three compares by itself.
  material.customProgramCacheKey = () => `scree body ${colored} ${traits.isRepeated} ${traits.isBall}`;
  return material;
}

export interface BodyMaterials {
  surface: MeshStandardMaterial | MeshLambertMaterial;
  shadow: MeshDepthMaterial;
}

export interface Finish {
  isCheap: boolean; // less light, for very many bodies or a slow card
  canFade: boolean; // to the edges: there are fixed bodies in the scene
}

export function bodyMaterials(batch: Batch, { isCheap, canFade }: Finish, shared: SharedUniforms): BodyMaterials {
  const side = batch.traits.isOpen ? DoubleSide : FrontSide;
  const surface = isCheap || batch.traits.isBall
    ? new MeshLambertMaterial({ side })
    : new MeshStandardMaterial({ side, roughness: 0.62, metalness: 0 });
  if (canFade) surface.defines = { ...surface.defines, FADES: '' };
  surface.alphaToCoverage = batch.traits.isBall; // their edges are not those of triangles
  return {
    surface: place(surface, batch, shared, true),
    shadow: place(new MeshDepthMaterial({ side: DoubleSide }), batch, shared, false),
  };
}

/** One flat colour, for the mask from which outlines are made. */
export function maskMaterial(batch: Batch, color: number, shared: SharedUniforms): MeshBasicMaterial {
  const material = new MeshBasicMaterial({ color, side: DoubleSide, toneMapped: false });
  return place(material, batch, shared, false);
}
