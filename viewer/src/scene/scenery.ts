// Everything that is drawn, kept in step with the app: scene, frame, options, selection and theme.
import { Group, Scene, Vector3 } from 'three';
import type { App } from '../app';
import type { Frame, Vec3 } from '../protocol';
import type { SceneTable } from '../scene_table';
import { Bodies } from './bodies';
import { sceneExtent, extentOf } from './bounds';
import type { CameraRig, Extent, Sphere } from './camera';
import { Coloring } from './coloring';
import { Ground } from './ground';
import { Obstacles } from './obstacles';
import { Outline } from './outline';
import { Overlays } from './overlays/overlays';
import type { Look } from './palette';
import { PartTable } from './parts';
import { Poses, slotOf } from './poses';
import { Lights, Sky } from './sky';

const kSample = 600; // bodies that are looked at to see where all of them are
const kExtentPeriod = 12; // frames between looks

export class Scenery {
  readonly three = new Scene();
  /** What light falls on. */
  readonly solids = new Group();
  readonly poses = new Poses();
  readonly coloring = new Coloring();
  readonly outline = new Outline();
  readonly obstacles = new Obstacles();
  readonly overlays: Overlays;
  parts: PartTable | null = null;
  /** The poses have changed, so the shadows have. */
  areShadowsStale = true;
  /** False for the first picture, which need not wait for its shadows. */
  hasShadows = false;
  private readonly bodies: Bodies;
  private readonly ground: Ground;
  private readonly sky = new Sky();
  private readonly lights = new Lights();
  private readonly rimLight = { value: 0 };
  private scene: SceneTable | null = null;
  private start: Extent = { middle: [0, 0, 0], radius: 1, half: [0.6, 0.6, 0.6] };
  private framesSeen = 0;
  private followed: { body: number; at: Vec3 } | null = null;

  constructor(private readonly app: App, private readonly rig: CameraRig) {
    this.bodies = new Bodies({ poses: this.poses.uniform, bodyColors: this.coloring.uniform, rimLight: this.rimLight });
    this.ground = new Ground(this.poses);
    this.overlays = new Overlays(app, this.poses);
    this.three.matrixWorldAutoUpdate = true;
    this.solids.add(this.ground.group, this.bodies.group);
    this.three.add(this.sky.mesh, this.lights.group, this.solids, this.overlays.group, this.outline.mesh);
  }

  /** Edge of a cell of the grid, m. */
  get cell(): number {
    return this.ground.cell;
  }

  /** A length of the scene, m. */
  get size(): number {
    return 2 * this.overlays.uniforms.sceneRadius.value;
  }

  /** From now on for scenes: less detail, smaller shadows. */
  set isSoftware(isSoftware: boolean) {
    this.bodies.isSoftware = isSoftware;
    this.lights.isSoftware = isSoftware;
  }

  setLook(look: Look): void {
    this.sky.setLook(look);
    this.lights.setLook(look);
    this.rimLight.value = look.rimLight;
    this.ground.setLook(look);
    this.outline.setLook(look);
    this.overlays.setLook(look);
  }

  /** `isSame`: another run of the scene that was shown; the camera stays. */
  setScene(scene: SceneTable, isSame: boolean): void {
    this.scene = scene;
    this.outline.clear();
    this.poses.setScene(scene);
    this.coloring.setScene(scene, isSame);
    this.parts = new PartTable(scene);
    this.obstacles.setScene(scene, this.parts);
    this.start = sceneExtent(scene);
    const { planar } = scene.hello.scene;
    this.bodies.setScene(scene);
    this.ground.setScene(scene, this.start);
    this.lights.setScene(planar, scene.parts.length);
    this.overlays.setScene(this.parts, this.start.radius);
    this.followed = null;
    this.framesSeen = 0;
    this.applyExtent(this.start);
    if (!isSame) this.rig.start(planar, this.start);
  }

  addParts(first: number, frame: Frame | null): void {
    if (!this.scene) return;
    this.poses.setScene(this.scene);
    if (frame) this.poses.setFrame(frame);
    this.coloring.setScene(this.scene, true);
    this.coloring.setFaded(this.obstacles.bodies);
    this.parts = new PartTable(this.scene);
    this.bodies.addFrom(first);
    this.overlays.addBodies(this.parts);
    this.areShadowsStale = true;
  }

  setFrame(frame: Frame): void {
    this.poses.setFrame(frame);
    this.areShadowsStale = true;
    if (this.framesSeen++ % kExtentPeriod === 0) this.measure();
  }

  /** Where the moving bodies are; null: there are none. */
  extentOf(bodies: readonly number[]): Extent | null {
    return this.parts && extentOf(bodies, this.parts, this.poses);
  }

  get fitExtent(): Extent {
    return (this.scene && this.extentOf(this.scene.moving)) ?? this.start;
  }

  /** Most moving bodies, or most of their mass, are where panels or the edges of the picture hide them. */
  get hasLeftView(): boolean {
    if (!this.scene) return false;
    const shown = this.sample().filter((body) => this.poses.isShown(body));
    const seen = shown.filter((body) => this.rig.isInFreeArea(new Vector3().fromArray(this.poses.data, 8 * slotOf(body))));
    const { bodies } = this.scene;
    const massOf = (list: number[]): number => list.reduce((sum, body) => sum + bodies[body].mass, 0);
    return 2 * seen.length < shown.length || 2 * massOf(seen) < massOf(shown);
  }

  applyOptions(): void {
    const { shadows, wireframe, transparent } = this.app.options.value;
    this.lights.shadows = shadows && this.hasShadows;
    this.bodies.setStyle({ wireframe, transparent });
    this.areShadowsStale = true;
  }

  setOutlined(selection: readonly number[], hovered: number | null): void {
    if (this.scene) this.outline.setBodies(this.bodies, selection, hovered);
  }

  /** Colours and overlays after the frame, options or the selection changed. */
  refresh(frame: Frame | null, seconds: number): void {
    const options = this.app.options.value;
    this.coloring.update(options.colorBy, frame, seconds);
    this.overlays.update(options, frame, this.app.selection.value, seconds);
  }

  /** The camera goes as far as the followed body went. */
  follow(): void {
    const body = this.app.selection.value.at(-1);
    if (!this.app.options.value.follow || body === undefined || !this.poses.isShown(body)) {
      this.followed = null;
      return;
    }
    const slot = 8 * slotOf(body);
    const at = [...this.poses.data.subarray(slot, slot + 3)] as Vec3;
    if (!at.every(Number.isFinite)) return;
    if (this.followed?.body === body) this.rig.shift(at.map((x, d) => x - this.followed!.at[d]) as Vec3);
    else this.rig.center(at);
    this.followed = { body, at };
  }

  /** Before each picture, when the camera is where it will be. */
  place(): void {
    const options = this.app.options.value;
    this.ground.update(this.rig, options.grid);
    if (this.parts && this.obstacles.update(this.rig, this.parts, this.poses)) this.coloring.setFaded(this.obstacles.bodies);
    this.overlays.placeNames(options, this.rig, this.app.selection.value);
  }

  private measure(): void {
    const now = this.extentOf(this.sample());
    if (now) this.applyExtent(now);
  }

  private sample(): readonly number[] {
    const { moving } = this.scene!;
    const stride = Math.max(1, Math.floor(moving.length / kSample));
    return stride === 1 ? moving : moving.filter((_, m) => m % stride === 0);
  }

  private applyExtent(bodies: Sphere): void {
    const all = union(this.start, bodies);
    this.rig.extent = all;
    this.rig.isDirty = true;
    // Shadows of what stands still matter too, unless the bodies are lost in a landscape.
    this.lights.fit(all.radius < 3 * bodies.radius ? all : { ...bodies, radius: 1.6 * bodies.radius });
  }
}

function union(a: Sphere, b: Sphere): Sphere {
  const between = b.middle.map((x, d) => x - a.middle[d]);
  const away = Math.hypot(...between);
  if (away + b.radius <= a.radius) return a;
  if (away + a.radius <= b.radius) return b;
  const radius = (away + a.radius + b.radius) / 2;
  const t = (radius - a.radius) / away;
  return { middle: a.middle.map((x, d) => x + t * between[d]) as Vec3, radius };
}
