// All overlays together; each costs nothing while its option is off.
import { Group, Vector2 } from 'three';
import type { App, ViewOptions } from '../../app';
import type { Frame } from '../../protocol';
import type { CameraRig } from '../camera';
import type { Look } from '../palette';
import type { PartTable } from '../parts';
import type { Poses } from '../poses';
import { Boxes } from './boxes';
import { Centers } from './centers';
import type { OverlayUniforms } from './common';
import { Contacts } from './contacts';
import { jointRibbons } from './joints';
import { Names } from './names';
import type { Ribbons } from './ribbons';
import { Trails } from './trails';

export class Overlays {
  readonly group = new Group();
  readonly names = new Names();
  readonly uniforms: OverlayUniforms;
  private readonly contacts: Contacts;
  private readonly boxes = new Boxes();
  private readonly centers: Centers;
  private readonly trails: Trails;
  private joints: Ribbons | null = null;
  private parts: PartTable | null = null;
  private look: Look | null = null;
  private longestArrow = 1; // m

  constructor(private readonly app: App, private readonly poses: Poses) {
    this.uniforms = {
      poses: poses.uniform,
      viewport: { value: new Vector2(1, 1) },
      pixelRatio: { value: 1 },
      sceneRadius: { value: 1 },
    };
    this.contacts = new Contacts(this.uniforms);
    this.centers = new Centers(this.uniforms);
    this.trails = new Trails(app, this.uniforms);
    this.group.add(this.contacts.group, this.boxes.group, this.centers.group, this.trails.ribbons.group);
  }

  setLook(look: Look): void {
    this.look = look;
    this.contacts.setLook(look);
    this.names.setLook(look);
    this.makeJoints();
  }

  /** `radius`: a length of the scene, m, from which sizes are taken. */
  setScene(parts: PartTable, radius: number): void {
    this.parts = parts;
    this.uniforms.sceneRadius.value = radius;
    const typical = typicalReach(parts) || radius;
    // A few bodies long, so that among many the arrows do not hide each other, and never out of proportion.
    this.longestArrow = Math.min(0.25 * radius, Math.max(0.02 * radius, 1.5 * typical));
    this.contacts.setDiscRadius(Math.min(0.03 * radius, 0.09 * typical));
    this.contacts.forget();
    this.addBodies(parts);
    this.makeJoints();
  }

  addBodies(parts: PartTable): void {
    this.parts = parts;
    this.centers.setScene(parts.scene);
  }

  /** After the poses changed, or what is shown. */
  update(options: ViewOptions, frame: Frame | null, selection: readonly number[], seconds: number): void {
    this.contacts.show(options.contacts, options.forces);
    if (options.contacts || options.forces) {
      this.contacts.setContacts(frame?.contacts, seconds);
      this.contacts.setScale(options.forceScale * this.longestArrow, options.forceThreshold);
    }
    this.boxes.group.visible = options.boxes;
    if (options.boxes && this.parts) this.boxes.update(this.parts, this.poses, frame?.contacts);
    this.centers.group.visible = options.centers;
    if (this.joints) this.joints.group.visible = options.joints;
    const hasTrails = options.trails && selection.length > 0;
    this.trails.ribbons.group.visible = hasTrails;
    if (hasTrails) this.trails.update(selection, this.look?.outline ?? 0xf08a00);
  }

  /** Before each picture. */
  placeNames(options: ViewOptions, rig: CameraRig, selection: readonly number[]): void {
    if (options.names && this.parts) this.names.update(this.parts.scene, this.poses, rig, selection);
    else this.names.hide();
  }

  dispose(): void {
    this.contacts.dispose();
    this.boxes.dispose();
    this.centers.dispose();
    this.trails.dispose();
    this.joints?.dispose();
    this.names.element.remove();
  }

  private makeJoints(): void {
    const isShown = this.app.options.value.joints;
    if (this.joints) {
      this.group.remove(this.joints.group);
      this.joints.dispose();
      this.joints = null;
    }
    if (!this.parts || !this.look) return;
    const link = this.look.isDark ? 0xf1f3f5 : 0x343a40;
    this.joints = jointRibbons(this.parts.scene, this.uniforms, this.parts.reach, link);
    this.joints.group.visible = isShown;
    this.group.add(this.joints.group);
  }
}

/** Of half of the moving bodies, m; 0: there are none. */
function typicalReach(parts: PartTable): number {
  const reaches = Float32Array.from(parts.scene.moving, (body) => parts.reach[body]).sort();
  return reaches[reaches.length >> 1] ?? 0;
}
