// Joints: the frames of both sides and a line between them; z, the axis of most joints, is drawn longest.
import type { SceneTable } from '../../scene_table';
import type { Pose } from '../../protocol';
import { rotate } from '../poses';
import type { OverlayUniforms } from './common';
import { Ribbons } from './ribbons';

const kAxes = [0xd64545, 0x3f9b52, 0x3b73d1];

/** Nothing changes from frame to frame: the ends are given in the frames of the bodies. */
export function jointRibbons(scene: SceneTable, shared: OverlayUniforms, sizes: Float32Array, link: number): Ribbons {
  const ribbons = new Ribbons(shared, 2.2, 0.45);
  ribbons.begin(7 * scene.joints.length);
  for (const { a, b, frame_a, frame_b } of scene.joints) {
    const reaches = [a, b].map((body) => (body >= 0 ? sizes[body] : 0)).filter((reach) => reach > 0);
    const size = Math.max(0.02 * shared.sceneRadius.value, 0.5 * Math.min(...reaches, 0.3 * shared.sceneRadius.value));
    addTriad(ribbons, a, frame_a, size, 1);
    addTriad(ribbons, b, frame_b, 0.7 * size, 0.65);
    ribbons.add(a, frame_a, b, frame_b, link, 0.9);
  }
  ribbons.end();
  return ribbons;
}

function addTriad(ribbons: Ribbons, body: number, [x, y, z, qw, qx, qy, qz]: Pose, size: number, opacity: number): void {
  const tip = [0, 0, 0];
  for (let d = 0; d < 3; ++d) {
    const length = d === 2 ? 1.6 * size : size;
    rotate([qx, qy, qz, qw], 0, 1, d === 0 ? length : 0, d === 1 ? length : 0, d === 2 ? length : 0, tip);
    ribbons.add(body, [x, y, z], body, [x + tip[0], y + tip[1], z + tip[2]], kAxes[d], opacity);
  }
}
