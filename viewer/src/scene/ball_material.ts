// Balls without triangles: a square that faces the camera, and the sphere found for every pixel.
//
// A hundred thousand of them are two hundred thousand triangles instead of eight million, and each is round at any
// distance. (The technique is old: S. Gumhold, "Splatting illuminated ellipsoids with depth correction", 2003.)
import { ShaderChunk } from 'three';
import type { WebGLProgramParametersWithUniforms } from 'three';

const kVertexInputs = /* glsl */ `
varying vec4 vBall; // middle in the frame of the eye, and radius
varying vec3 vPoint; // on the square
varying vec3 vBallWorld;
varying vec4 vBallTurn;
`;

/** Takes the place of three's project_vertex; the square is as large as the outline of the sphere. */
const kProject = /* glsl */ `
vec3 ballMiddle = bodyAt.xyz;
vec4 ballTurn = bodyTurn;
#ifdef PART_POSES
ballMiddle += turn(bodyTurn, partAt.xyz);
ballTurn = vec4(bodyTurn.w * partTurn.xyz + partTurn.w * bodyTurn.xyz + cross(bodyTurn.xyz, partTurn.xyz),
  bodyTurn.w * partTurn.w - dot(bodyTurn.xyz, partTurn.xyz));
#endif
float ballRadius = size.x * bodyAt.w;
vec3 eyeMiddle = (modelViewMatrix * vec4(ballMiddle, 1.0)).xyz;
vec3 toEye = vec3(0.0, 0.0, 1.0);
float wider = 1.0;
if (projectionMatrix[2][3] < -0.5) {
  float away = length(eyeMiddle);
  toEye = -eyeMiddle / away;
  wider = inversesqrt(max(1.0 - ballRadius * ballRadius / (away * away), 0.02));
}
vec3 squareX = normalize(cross(vec3(0.0, 1.0, 0.0), toEye));
vec3 squareY = cross(toEye, squareX);
vBall = vec4(eyeMiddle, ballRadius);
// A little more than the sphere, for the soft edge.
vPoint = eyeMiddle + 1.06 * wider * ballRadius * (squareX * position.x + squareY * position.y);
vBallWorld = ballMiddle;
vBallTurn = ballTurn;
vec4 mvPosition = vec4(vPoint, 1.0);
gl_Position = projectionMatrix * mvPosition;
`;

const kFragmentInputs = /* glsl */ `
uniform mat4 projectionMatrix;
#if defined(USE_SHADOWMAP) && NUM_DIR_LIGHT_SHADOWS > 0
uniform mat4 directionalShadowMatrix[NUM_DIR_LIGHT_SHADOWS];
#endif
varying vec4 vBall;
varying vec3 vPoint;
varying vec3 vBallWorld;
varying vec4 vBallTurn;
`;

/** At the beginning of main(). All lengths are of the size of the ball, so that far ones keep their digits. */
const kIntersect = /* glsl */ `
vec3 ballRay = projectionMatrix[2][3] < -0.5 ? normalize(vPoint) : vec3(0.0, 0.0, -1.0);
vec3 offRay = vPoint - vBall.xyz;
offRay -= ballRay * dot(offRay, ballRay);
float ballMiss = length(offRay) / vBall.w;
float ballCover = clamp(0.5 + (1.0 - ballMiss) / max(fwidth(ballMiss), 1e-4), 0.0, 1.0);
if (!(ballCover > 0.0)) discard;
vec3 ballNormal = normalize(offRay / vBall.w - ballRay * sqrt(max(0.0, 1.0 - ballMiss * ballMiss)));
vec4 ballClip = projectionMatrix * vec4(vBall.xyz + vBall.w * ballNormal, 1.0);
gl_FragDepth = 0.5 + 0.5 * ballClip.z / ballClip.w;
`;

const kLit = /* glsl */ `
vec3 ballNormalWorld = ballNormal * mat3(viewMatrix); // times the transpose
vec3 vLocal = ballNormalWorld;
{
  vec3 q = -vBallTurn.xyz;
  vLocal += 2.0 * cross(q, cross(q, vLocal) + vBallTurn.w * vLocal);
}
#if defined(USE_SHADOWMAP) && NUM_DIR_LIGHT_SHADOWS > 0
vec4 ballShadowCoord = directionalShadowMatrix[0] * vec4(vBallWorld + 1.04 * vBall.w * ballNormalWorld, 1.0);
#endif
`;

const kNormal = /* glsl */ `
float faceDirection = 1.0;
vec3 normal = ballNormal;
vec3 nonPerturbedNormal = normal;
diffuseColor.a *= ballCover;
`;

/** Changes the shader of a body material; `isLit`: with colour and light, otherwise for shadows. */
export function drawBalls(shader: WebGLProgramParametersWithUniforms, isLit: boolean): void {
  shader.vertexShader = shader.vertexShader
    .replace('#include <common>', `#include <common>\n${kVertexInputs}`)
    .replace('#include <project_vertex>', kProject);
  shader.fragmentShader = shader.fragmentShader
    .replace('#include <common>', `#include <common>\n${kFragmentInputs}`)
    .replace('void main() {', `void main() {\n${kIntersect}${isLit ? kLit : ''}`);
  if (!isLit) return;
  const lights = ShaderChunk.lights_fragment_begin.replace('vDirectionalShadowCoord[ i ]', 'ballShadowCoord');
  shader.fragmentShader = shader.fragmentShader
    .replace('#include <normal_fragment_begin>', kNormal)
    .replace('#include <lights_fragment_begin>', lights);
}
