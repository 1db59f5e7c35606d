// The scene as the page uses it: the columns of `hello`, with what was added since.
import type { BodiesAdded, Hello, JointSpec, Pose, ShapeSpec } from './protocol';

export interface Part {
  body: number;
  shape: number; // into SceneTable.shapes
  pose: Pose; // in the body frame
}

export interface BodyInfo {
  name: string;
  motion: 'dynamic' | 'kinematic' | 'fixed';
  mass: number; // kg, 0 for fixed and kinematic bodies
  material: number; // into hello.materials
  color: number; // 0xrrggbb, -1: none given
  centerOfMass: [number, number, number]; // m, in the body frame
  moving: number; // index among the moving bodies, -1: fixed
}

const kIdentity: Pose = [0, 0, 0, 1, 0, 0, 0];
const kMotions = { d: 'dynamic', k: 'kinematic', f: 'fixed' } as const;

export class SceneTable {
  readonly bodies: BodyInfo[] = [];
  readonly parts: Part[] = [];
  readonly shapes: ShapeSpec[] = [];
  readonly joints: JointSpec[];
  /** Body of each moving body. */
  readonly moving: number[] = [];
  private readonly fixedPoses = new Map<number, Pose>();

  constructor(readonly hello: Hello) {
    this.joints = hello.joints;
    this.add(hello);
    let next = 0;
    this.bodies.forEach((body, index) => {
      if (body.moving >= 0) return;
      this.fixedPoses.set(index, hello.fixed.slice(next, next + 7) as Pose);
      next += 7;
    });
  }

  /** Bodies, parts and shapes at the end; returns the index of the first new part. */
  add(more: Pick<BodiesAdded, 'bodies' | 'parts' | 'shapes'>): number {
    const { bodies, parts, shapes } = more;
    bodies.names.forEach((name, k) => {
      const motion = kMotions[bodies.motion[k] as 'd' | 'k' | 'f'];
      const center = bodies.center_of_mass?.slice(3 * k, 3 * k + 3) ?? [0, 0, 0];
      const moving = motion === 'fixed' ? -1 : this.moving.length;
      if (moving >= 0) this.moving.push(this.bodies.length);
      this.bodies.push({
        name,
        motion,
        mass: bodies.mass[k],
        material: bodies.material[k],
        color: bodies.color[k],
        centerOfMass: center as [number, number, number],
        moving,
      });
    });
    const first = this.parts.length;
    const firstShape = this.shapes.length;
    parts.body.forEach((body, k) => {
      const pose = parts.pose ? (parts.pose.slice(7 * k, 7 * k + 7) as Pose) : kIdentity;
      this.parts.push({ body, shape: firstShape + parts.shape[k], pose });
    });
    for (const shape of shapes) this.shapes.push(shape);
    return first;
  }

  /** Of a fixed body. */
  fixedPose(body: number): Pose {
    return this.fixedPoses.get(body) ?? kIdentity;
  }

  find(name: string): number {
    return this.bodies.findIndex((body) => body.name === name);
  }
}
