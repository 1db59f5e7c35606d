// The picture: three.js on a canvas, drawn when something changed.
import { NoToneMapping, PCFShadowMap, Vector3, WebGLRenderer } from 'three';
import type { App } from '../app';
import { Signal } from '../signal';
import { CameraRig } from './camera';
import type { Area, Axis } from './camera';
import type { ColorLegend } from './coloring';
import { Grab } from './grab';
import { Pacer } from './pacing';
import { DARK, hexText, LIGHT } from './palette';
import type { Look } from './palette';
import { PointerControl } from './pointer';
import { lengthText } from './range';
import { raycast } from './raycast';
import type { Hit } from './raycast';
import { Scenery } from './scenery';
import { throwMessage } from './throw';
import { VideoRecorder } from './video';

export type { Axis } from './camera';
export type { ColorLegend } from './coloring';

const kLookPeriod = 1; // s

export class Stage {
  readonly canvas: HTMLCanvasElement;
  readonly isRecordingVideo: Signal<boolean>;
  /** The card has finished a picture with the bodies in it, or there never will be one. */
  readonly hasPicture = new Signal(false);
  /** Null while bodies have their own colours. */
  readonly colorLegend: Signal<ColorLegend | null>;
  /** Script time of the last picture, ms, smoothed. */
  readonly drawMs = new Signal(0);
  /** What one cell of the grid is. */
  readonly scaleText = new Signal('');
  /** Of the last picture: script before three.js had it, and three.js, ms. */
  readonly timing = { update: 0, submit: 0 };

  private readonly renderer: WebGLRenderer | null;
  private pacer: Pacer | null = null;
  private readonly rig = new CameraRig();
  private readonly scenery: Scenery;
  private readonly pointer: PointerControl;
  private readonly grab: Grab;
  private readonly video: VideoRecorder;
  private readonly darkQuery = matchMedia('(prefers-color-scheme: dark)');
  private look: Look = LIGHT;
  private hovered: number | null = null;
  private isFrameNew = false;
  private isStale = true; // colours and overlays
  private isDirty = true; // the picture
  private isLost = false; // the graphics context
  private isSoftware = false; // the processor does the work of a graphics card
  private sinceFrame = 0; // s
  private sinceDraw = 0; // s
  private sinceLook = 0; // s, after bodies that left the picture
  private isProjectionOurs = false; // orthographic, and not by the user's wish
  private isCompiling = false; // what the second picture has and the first had not
  private programs = -1; // shaders at the last picture
  private sceneName: string | null = null;

  constructor(private readonly container: HTMLElement, private readonly app: App) {
    this.canvas = document.createElement('canvas');
    Object.assign(this.canvas.style, { display: 'block', width: '100%', height: '100%', outline: 'none' });
    this.scenery = new Scenery(app, this.rig);
    this.colorLegend = this.scenery.coloring.legend;
    this.video = new VideoRecorder(this.canvas);
    this.isRecordingVideo = this.video.isRecording;
    this.grab = new Grab(app, this.scenery.poses, this.scenery.overlays.uniforms);
    this.scenery.three.add(this.grab.ribbons.group);
    this.pointer = new PointerControl(this.canvas, app, this.rig, this.grab, {
      pick: (x, y) => this.pick(x, y),
      hover: (body) => this.setHovered(body),
      focus: (body) => this.focus(body),
    });
    this.renderer = this.makeRenderer();
    if (!this.renderer) {
      this.hasPicture.value = true;
      return;
    }
    container.append(this.canvas, this.scenery.overlays.names.element);
    new ResizeObserver(() => this.resize()).observe(container);
    this.resize();
    this.watchApp();
  }

  /** `find` tells which part of the canvas panels leave free, px; what is fitted is fitted into it. */
  fitInto(find: () => Area): void {
    this.rig.freeArea = find;
  }

  /** Once per animation frame; `seconds` since the last. Draws nothing when nothing changed. */
  draw(seconds: number): void {
    if (!this.renderer || this.isLost) return;
    const begin = performance.now();
    this.sinceFrame += seconds;
    this.sinceDraw += seconds;
    if (this.pacer!.isBusy) return;
    if (this.pacer!.finished > 0 && !this.hasPicture.value) this.onFirstPicture();
    // The picture before, or none, is better than one without bodies.
    if (this.isCompiling || !this.app.frame.value) return;
    if (this.renderer.getPixelRatio() !== this.pixelRatio()) this.resize();
    this.takeFrame();
    if (this.grab.flush()) this.isDirty = true;
    if (this.rig.update(this.sinceDraw)) this.isDirty = true;
    this.keepInView(this.sinceDraw);
    this.sinceDraw = 0;
    if (!this.isDirty && !this.video.isRecording.value) return;
    this.isDirty = false;
    this.render(begin);
  }

  /** Shows all moving bodies. */
  fit(): void {
    this.rig.frame(this.scenery.fitExtent);
  }

  lookAlong(axis: Axis): void {
    this.rig.lookAlong(axis);
  }

  /** Selects the body and brings it to the middle. */
  focus(body: number): void {
    if (!this.app.selection.value.includes(body)) this.app.select(body);
    const sphere = this.scenery.extentOf([body]);
    // Bodies that are small on the screen are worth coming closer.
    if (sphere) this.rig.center(sphere.middle, Math.min(this.rig.distance, Math.max(12 * sphere.radius, 0.15 * this.rig.distance)));
  }

  /** Where on the canvas the middle of a body is seen, px; null: behind the viewer, or it has no shape. */
  placeOf(body: number): { x: number; y: number } | null {
    const sphere = this.scenery.extentOf([body]);
    if (!sphere) return null;
    const point = new Vector3(...sphere.middle);
    return this.rig.project(point) ? { x: point.x, y: point.y } : null;
  }

  /** As PNG, as large as the canvas. */
  async picture(): Promise<Blob> {
    if (!this.renderer || this.isLost) throw new Error('There is no picture: WebGL does not work here.');
    this.takeFrame();
    this.rig.update(0);
    this.render(performance.now());
    const copy = document.createElement('canvas');
    copy.width = this.canvas.width;
    copy.height = this.canvas.height;
    const context = copy.getContext('2d')!;
    // At once: the browser may clear the canvas after this task.
    context.drawImage(this.canvas, 0, 0);
    this.scenery.overlays.names.paint(context, this.renderer.getPixelRatio(), this.look);
    return new Promise((done, fail) => {
      copy.toBlob((blob) => (blob ? done(blob) : fail(new Error('The picture is too large.'))), 'image/png');
    });
  }

  startVideo(): void {
    try {
      this.video.start();
    } catch (error) {
      this.app.note(error instanceof Error ? error.message : String(error), 'error');
    }
  }

  stopVideo(): Promise<Blob> {
    return this.video.stop();
  }

  /** Towards the pointer, or the middle of the picture. */
  throwBall(): void {
    const scene = this.app.scene.value;
    if (!scene || !this.app.can('throw')) return;
    const { x, y } = this.pointer.last ?? { x: this.rig.width / 2, y: this.rig.height / 2 };
    const aim = this.pick(x, y)?.point ?? null;
    this.app.send(throwMessage(this.rig, this.rig.ray(x, y), aim, this.scenery.size, scene.hello.scene.planar));
  }

  private makeRenderer(): WebGLRenderer | null {
    // Without alpha: the soft edges of balls would let the page shine through.
    const context = this.canvas.getContext('webgl2', { alpha: false, antialias: true, powerPreference: 'high-performance' });
    if (!context) {
      this.explainMissingWebGL();
      return null;
    }
    const renderer = new WebGLRenderer({ canvas: this.canvas, context });
    renderer.toneMapping = NoToneMapping; // keeps the colours that scenes give
    renderer.shadowMap.enabled = true;
    renderer.debug.checkShaderErrors = false; // asking makes script wait for each compiler in turn
    renderer.shadowMap.type = PCFShadowMap;
    renderer.shadowMap.autoUpdate = false;
    this.isSoftware = isSoftware(renderer);
    this.scenery.isSoftware = this.isSoftware;
    this.pacer = new Pacer(context, this.isSoftware ? 1 : 2);
    this.canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault(); // asks for it back
      this.isLost = true;
      this.pacer?.forget();
      this.app.note('The graphics card was reset. The picture comes back as soon as the browser allows.', 'error');
    });
    this.canvas.addEventListener('webglcontextrestored', () => {
      this.isLost = false;
      this.isCompiling = false;
      this.isStale = true;
      this.scenery.areShadowsStale = true;
      this.scenery.poses.uniform.value.needsUpdate = true;
      this.app.note('The picture is back.');
    });
    return renderer;
  }

  private explainMissingWebGL(): void {
    const message = document.createElement('div');
    Object.assign(message.style, { position: 'absolute', inset: '0', display: 'grid', placeItems: 'center', padding: '2em' });
    Object.assign(message.style, { font: '16px system-ui, sans-serif', textAlign: 'center' });
    message.textContent =
      'The bodies cannot be drawn: this browser has no WebGL 2. Switch on hardware acceleration in its settings, ' +
      'update it, or use another browser. Everything else on this page works.';
    message.setAttribute('role', 'alert');
    this.container.append(message);
  }

  private watchApp(): void {
    const { app } = this;
    app.scene.bind(() => this.onScene());
    app.partsAdded.watch((first) => {
      this.scenery.addParts(first, app.frame.value);
      this.isStale = true;
    });
    app.frame.watch(() => (this.isFrameNew = true));
    app.selection.watch(() => {
      this.scenery.setOutlined(app.selection.value, this.hovered);
      this.scenery.follow();
      this.isStale = true;
    });
    app.trackChanged.watch(() => {
      // Live, tracks grow with the frames, which are drawn anyway.
      if (app.options.value.trails && !app.isLive) this.isStale = true;
    });
    app.options.bind(() => this.onOptions());
    this.darkQuery.addEventListener('change', () => this.onOptions());
  }

  private onScene(): void {
    const scene = this.app.scene.value;
    if (!scene) return;
    const { name, planar } = scene.hello.scene;
    const isSame = name === this.sceneName;
    this.sceneName = name;
    this.hovered = null;
    this.rig.isOrthographic = this.app.options.value.orthographic || planar;
    this.scenery.setScene(scene, isSame);
    if (!isSame) this.suggestProjection(planar);
    this.scenery.applyOptions();
    this.scenery.setOutlined(this.app.selection.value, null);
    // The compilers begin, side by side, while the first frame is on its way.
    this.renderer?.compile(this.scenery.solids, this.rig.camera, this.scenery.three);
    this.isStale = true;
    this.isFrameNew = this.app.frame.value !== null;
  }

  /** Planar scenes begin without perspective; the next other scene gets back what was before. */
  private suggestProjection(planar: boolean): void {
    const { orthographic } = this.app.options.value;
    if (planar && !orthographic) {
      this.isProjectionOurs = true;
      this.app.setOption('orthographic', true);
    } else if (!planar && this.isProjectionOurs) {
      this.isProjectionOurs = false;
      this.app.setOption('orthographic', false);
    }
  }

  private onOptions(): void {
    const { theme, orthographic } = this.app.options.value;
    const isDark = theme === 'dark' || (theme === 'auto' && this.darkQuery.matches);
    this.look = isDark ? DARK : LIGHT;
    this.scenery.setLook(this.look);
    this.container.style.background = `linear-gradient(${hexText(this.look.top)}, ${hexText(this.look.bottom)})`;
    this.scenery.applyOptions();
    this.scenery.follow();
    this.rig.isOrthographic = orthographic;
    this.rig.isDirty = true;
    this.isStale = true;
  }

  private takeFrame(): void {
    const frame = this.app.frame.value;
    if (this.isFrameNew && frame) {
      this.scenery.setFrame(frame);
      this.scenery.follow();
      this.isStale = true;
    }
    this.isFrameNew = false;
    if (!this.isStale) return;
    this.scenery.refresh(frame, this.sinceFrame);
    this.sinceFrame = 0;
    this.isStale = false;
    this.isDirty = true;
  }

  /** Until the user takes the camera, it goes after bodies that leave the picture. */
  private keepInView(seconds: number): void {
    this.sinceLook += seconds;
    if (this.sinceLook < kLookPeriod || this.rig.isTouched || this.rig.isFlying || this.grab.body !== null) return;
    this.sinceLook = 0;
    if (this.scenery.hasLeftView) this.rig.refit(this.scenery.fitExtent);
  }

  private render(begin: number): void {
    const renderer = this.renderer!;
    const { scenery, rig } = this;
    scenery.place();
    this.scaleText.value = `grid lines every ${lengthText(scenery.cell)}`;
    const middle = performance.now();
    if (scenery.parts) scenery.outline.render(renderer, rig, scenery.parts, scenery.poses);
    renderer.shadowMap.needsUpdate = scenery.areShadowsStale && this.app.options.value.shadows;
    scenery.areShadowsStale = false;
    renderer.render(scenery.three, rig.camera);
    this.pacer!.mark();
    const end = performance.now();
    this.timing.update = middle - begin;
    this.timing.submit = end - middle;
    // The first picture with a new shader waits for its compiler, which says nothing about the next.
    const programs = renderer.info.programs?.length ?? 0;
    if (programs === this.programs) this.drawMs.value += 0.1 * (end - begin - this.drawMs.value);
    this.programs = programs;
  }

  /** Shadows and, without a graphics card, full sharpness come after the first picture, so that it comes soon. */
  private onFirstPicture(): void {
    const { scenery } = this;
    this.hasPicture.value = true;
    scenery.hasShadows = true;
    scenery.applyOptions();
    this.isCompiling = true;
    void this.renderer!.compileAsync(scenery.solids, this.rig.camera, scenery.three).then(() => {
      this.isCompiling = false;
      this.isDirty = true;
    });
  }

  private pixelRatio(): number {
    const full = Math.min(2, window.devicePixelRatio || 1);
    return this.isSoftware && !this.hasPicture.value ? full / 2 : full;
  }

  private resize(): void {
    const renderer = this.renderer;
    if (!renderer) return;
    const width = Math.max(1, this.container.clientWidth);
    const height = Math.max(1, this.container.clientHeight);
    renderer.setPixelRatio(this.pixelRatio());
    renderer.setSize(width, height, false);
    this.rig.width = width;
    this.rig.height = height;
    this.rig.isDirty = true;
    const { uniforms } = this.scenery.overlays;
    uniforms.viewport.value.set(this.canvas.width, this.canvas.height);
    uniforms.pixelRatio.value = renderer.getPixelRatio();
  }

  private pick(x: number, y: number): Hit | null {
    const { parts, poses, obstacles } = this.scenery;
    return parts && raycast(this.rig.ray(x, y), parts, poses, obstacles.bodies);
  }

  private setHovered(body: number | null): void {
    if (body === this.hovered) return;
    this.hovered = body;
    this.canvas.title = body === null ? '' : (this.app.scene.value?.bodies[body].name ?? '');
    this.scenery.setOutlined(this.app.selection.value, body);
    this.isDirty = true;
  }
}

function isSoftware(renderer: WebGLRenderer): boolean {
  const gl = renderer.getContext();
  const details = gl.getExtension('WEBGL_debug_renderer_info');
  const name = String(gl.getParameter(details ? details.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

