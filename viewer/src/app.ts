// What the parts of the page share: the scene, the timeline, the selection and the wishes of the user.
// The stage (src/scene) draws it, the panels (src/ui) show and change it; neither knows the other.
import { Player } from './player';
import { decodeFrame, PROTOCOL } from './protocol';
import type { Ability, ClientMessage, Frame, Hello, ServerMessage, Status } from './protocol';
import { SceneTable } from './scene_table';
import { Series } from './series';
import { Event, Signal } from './signal';
import type { Connection, Source } from './source';
import { Timeline } from './timeline';

export type ColorBy = 'body' | 'speed' | 'force' | 'residual';
export type Theme = 'auto' | 'light' | 'dark';

/** What is drawn and how. */
export interface ViewOptions {
  contacts: boolean; // points
  forces: boolean; // arrows
  joints: boolean;
  boxes: boolean;
  centers: boolean; // of mass
  wireframe: boolean;
  transparent: boolean;
  trails: boolean; // of selected bodies
  names: boolean;
  grid: boolean;
  shadows: boolean;
  orthographic: boolean;
  follow: boolean; // the camera goes with the selected body
  colorBy: ColorBy;
  forceScale: number; // times the automatic length of arrows
  forceThreshold: number; // N, weaker ones are not drawn
  theme: Theme;
}

export const DEFAULT_OPTIONS: ViewOptions = {
  contacts: false,
  forces: false,
  joints: false,
  boxes: false,
  centers: false,
  wireframe: false,
  transparent: false,
  trails: false,
  names: false,
  grid: true,
  shadows: true,
  orthographic: false,
  follow: false,
  colorBy: 'body',
  forceScale: 1,
  forceThreshold: 0,
  theme: 'auto',
};

export interface Note {
  text: string;
  kind: 'info' | 'error';
}

const kMostWatched = 32;
const kMostWaiting = 32; // frames of a recording
const kAckInterval = 14; // ms; more frames than a screen shows are not asked for
const kFewBodies = 2000;
const kRequestBytes = 4e6;
const kAheadBytes = 24e6;
const kRefreshInterval = 2000; // ms

export class App {
  readonly connection = new Signal<Connection>({ state: 'connecting' });
  /** Null until `hello` has come; a new object when everything changed. */
  readonly scene = new Signal<SceneTable | null>(null);
  /** The first new part of the same scene. */
  readonly partsAdded = new Event<number>();
  readonly status = new Signal<Status | null>(null);
  readonly selection = new Signal<readonly number[]>([]);
  readonly options = new Signal<ViewOptions>({ ...DEFAULT_OPTIONS });
  /** The frame shown. */
  readonly frame = new Signal<Frame | null>(null);
  readonly notes = new Event<Note>();
  /** Receipts of the steps. */
  readonly steps = new Series();
  /** Tracks of bodies that are or were selected. */
  readonly tracks = new Map<number, Series>();
  readonly trackChanged = new Event<number>();
  readonly isRecordingComplete = new Signal(true);
  readonly timeline: Timeline;
  readonly player: Player;

  private last: Frame | null = null; // as it came from the source
  private wishes = ''; // as sent last
  private wishedScene: SceneTable | null = null;
  private lastAck = 0; // ms
  private lastRefresh = 0; // ms
  private contactsWished = false;
  private velocitiesWished = false;
  private underWay = 0; // frames of a recording that were asked for
  private outdated = 0; // of these, those asked for with other wishes

  constructor(readonly source: Source) {
    this.timeline = new Timeline((index) => this.request(index));
    this.player = new Player(this.timeline, (message) => this.send(message));
    this.selection.watch((bodies, before) => this.onSelection(bodies, before));
    this.options.watch(() => this.sendWishes());
    this.player.cursor.watch(() => this.showCursor());
    this.timeline.changed.watch(() => this.showCursor());
    this.status.watch((status) => this.onStatus(status));
  }

  start(): void {
    this.source.start({
      text: (message) => this.onText(message),
      frame: (bytes) => this.onFrame(bytes),
      connection: (state) => {
        this.connection.value = state;
        if (state.state === 'lost') this.forgetRequests();
      },
    });
  }

  send(message: ClientMessage): void {
    this.source.send(message);
  }

  can(ability: Ability): boolean {
    return this.scene.value?.hello.can.includes(ability) ?? false;
  }

  get isLive(): boolean {
    return this.scene.value?.hello.mode === 'live';
  }

  setOption<K extends keyof ViewOptions>(name: K, value: ViewOptions[K]): void {
    this.options.value = { ...this.options.value, [name]: value };
  }

  toggle(name: { [K in keyof ViewOptions]: ViewOptions[K] extends boolean ? K : never }[keyof ViewOptions]): void {
    this.setOption(name, !this.options.value[name]);
  }

  /** One body, or none; `extend` adds it to those selected or takes it away. */
  select(body: number | null, extend = false): void {
    const now = this.selection.value;
    if (body === null) this.selection.value = [];
    else if (!extend) this.selection.value = [body];
    else if (now.includes(body)) this.selection.value = now.filter((other) => other !== body);
    else this.selection.value = [...now, body].slice(-kMostWatched);
  }

  note(text: string, kind: Note['kind'] = 'info'): void {
    this.notes.emit({ text, kind });
  }

  private onText(message: ServerMessage): void {
    switch (message.type) {
      case 'hello':
        this.onHello(message);
        break;
      case 'bodies': {
        const first = this.scene.value?.add(message);
        if (first !== undefined) this.partsAdded.emit(first);
        break;
      }
      case 'status':
        this.status.value = message;
        break;
      case 'frames':
        this.timeline.grow(message.times);
        this.isRecordingComplete.value = message.complete;
        this.refreshSeries();
        break;
      case 'steps':
        this.steps.reset(message.columns);
        this.steps.addRows(message.rows);
        break;
      case 'track': {
        const series = this.trackOf(message.body);
        series.reset(message.columns);
        series.addRows(message.rows);
        this.trackChanged.emit(message.body);
        break;
      }
      case 'error':
        if (message.about === 'frames') this.forgetRequests();
        this.note(message.message, 'error');
        break;
    }
  }

  private onHello(hello: Hello): void {
    if (hello.protocol !== PROTOCOL) {
      const message = `The program speaks version ${hello.protocol} of the protocol, this page version ${PROTOCOL}. Reload the page.`;
      this.connection.value = { state: 'failed', message };
      return;
    }
    const before = this.scene.value;
    const isSame = before !== null && before.hello.scene.name === hello.scene.name;
    const isSameRecording = isSame && before.hello.mode === 'replay' && hello.mode === 'replay';
    const timeBefore = this.timeline.times[this.player.cursor.value] ?? 0;
    this.last = null;
    this.forgetRequests();
    this.frame.value = null;
    this.tracks.clear();
    this.steps.reset(hello.columns.steps);
    this.player.isLive = hello.mode === 'live';
    this.player.canControl = hello.can.includes('control');
    this.player.canRestart = hello.can.includes('restart');
    this.player.hasEnded = false;
    this.player.following.value = true;
    this.player.playing.value = false;
    this.timeline.clear();
    this.player.cursor.value = 0;
    this.scene.value = new SceneTable(hello);
    if (!isSame) this.selection.value = [];
    else this.selection.value = this.selection.value.filter((body) => body < hello.bodies.names.length);
    if (hello.frames) {
      this.isRecordingComplete.value = hello.frames.complete;
      this.timeline.announce([...hello.frames.times], this.source.isWhole);
      if (isSameRecording) this.player.seekTime(timeBefore);
      if (!this.source.isWhole) this.send({ type: 'steps' });
    }
    if (hello.status) {
      this.status.value = hello.status;
      this.player.speed.value = hello.status.speed;
    }
    this.sendWishes();
    this.onSelection(this.selection.value, []);
    this.showCursor();
  }

  private onFrame(bytes: ArrayBuffer): void {
    const scene = this.scene.value;
    if (!scene) return;
    const frame = decodeFrame(bytes, this.last);
    this.last = frame;
    if (frame.steps && (this.isLive || this.source.isWhole)) this.steps.add(frame.steps);
    if (this.isLive) this.addTracks(frame);
    frame.steps = frame.track = undefined; // they are kept in the series
    if (this.isLive) {
      this.timeline.append(frame);
      this.acknowledge(frame.number);
    } else if (!this.isOutdated()) {
      this.timeline.place(frame);
    }
  }

  /** Frames come in the order they were asked for: those from before the last wishes are asked for again. */
  private isOutdated(): boolean {
    this.underWay = Math.max(0, this.underWay - 1);
    if (this.outdated === 0) return false;
    --this.outdated;
    return true;
  }

  private forgetRequests(): void {
    this.underWay = this.outdated = 0;
    this.timeline.forgetRequests();
  }

  private acknowledge(sequence: number): void {
    const wait = this.lastAck + kAckInterval - performance.now();
    const send = (): void => {
      this.lastAck = performance.now();
      this.send({ type: 'ack', sequence });
    };
    if (wait > 1) setTimeout(send, wait);
    else send();
  }

  private addTracks(frame: Frame): void {
    const bodies = new Set<number>();
    const { rows, columns, data } = frame.track ?? { rows: 0, columns: 0, data: new Float64Array() };
    for (let r = 0; r < rows; ++r) {
      const row = data.slice(r * columns, (r + 1) * columns);
      this.trackOf(row[0]).addRow(row);
      bodies.add(row[0]);
    }
    // A frame from before the program heard of the selection.
    for (const body of this.selection.value) {
      const row = bodies.has(body) ? null : this.rowOf(frame, body);
      if (row) this.trackOf(body).addRows([row]);
      if (row) bodies.add(body);
    }
    bodies.forEach((body) => this.trackChanged.emit(body));
  }

  private trackOf(body: number): Series {
    let series = this.tracks.get(body);
    if (!series) {
      series = new Series();
      series.reset(this.scene.value!.hello.columns.track);
      this.tracks.set(body, series);
    }
    return series;
  }

  private onStatus(status: Status | null): void {
    if (!status || !this.player.isLive) return;
    this.player.hasEnded = status.ended;
    if (this.player.following.value) this.player.playing.value = status.playing;
    if (status.speed !== this.player.speed.value) this.player.speed.value = status.speed;
  }

  private onSelection(bodies: readonly number[], before: readonly number[]): void {
    if (!this.scene.value) return;
    this.sendWishes();
    const isNew = (body: number): boolean => !before.includes(body);
    for (const body of bodies.filter(isNew)) {
      if (this.isLive || this.source.isWhole) this.trackFromFrames(body);
      else if (!this.tracks.has(body) || !this.isRecordingComplete.value) this.send({ type: 'track', body });
    }
  }

  /** A recording has grown: what is plotted is asked for again, now and then. */
  private refreshSeries(): void {
    const now = performance.now();
    if (!this.isRecordingComplete.value && now - this.lastRefresh < kRefreshInterval) return;
    this.lastRefresh = now;
    this.send({ type: 'steps' });
    for (const body of this.selection.value) this.send({ type: 'track', body });
  }

  /** Where there is no one to ask, the past of a body is what the frames hold. */
  private trackFromFrames(body: number): void {
    if (!((this.scene.value!.bodies[body]?.moving ?? -1) >= 0)) return;
    const series = this.trackOf(body);
    const known = series.column('time').at(-1) ?? -Infinity;
    const rows: number[][] = [];
    this.timeline.times.forEach((time, index) => {
      const frame = time > known ? this.timeline.peek(index) : undefined;
      const row = frame && this.rowOf(frame, body);
      if (row) rows.push(row);
    });
    series.addRows(rows);
    this.trackChanged.emit(body);
  }

  /** What a frame knows of a body, as a row of its track. */
  private rowOf(frame: Frame, body: number): number[] | null {
    const at = this.scene.value!.bodies[body]?.moving ?? -1;
    if (at < 0 || at >= frame.moving) return null;
    const q = [...frame.orientation.subarray(4 * at, 4 * at + 4)];
    const length = Math.hypot(...q) || 1;
    const force = contactForce(frame, body);
    const linear = frame.velocity?.subarray(3 * at, 3 * at + 3) ?? [NaN, NaN, NaN];
    const angular = frame.spin?.subarray(3 * at, 3 * at + 3) ?? [NaN, NaN, NaN];
    return [
      body, frame.time, ...frame.position.subarray(3 * at, 3 * at + 3), ...q.map((x) => x / length),
      ...linear, ...angular, ...force,
    ];
  }

  private sendWishes(): void {
    const scene = this.scene.value;
    if (!scene || this.source.isWhole) return;
    const o = this.options.value;
    const contacts =
      o.contacts || o.forces || o.boxes || o.colorBy === 'force' || o.colorBy === 'residual' ||
      this.selection.value.length > 0 || scene.moving.length <= kFewBodies;
    // With few bodies everything is kept, so that what is asked for later is there for the past too.
    const velocities = scene.moving.length <= kFewBodies ? 'full' : o.colorBy === 'speed';
    const watch = this.selection.value.filter((body) => scene.bodies[body]?.moving >= 0);
    const wishes: ClientMessage = { type: 'want', contacts, velocities, watch };
    const key = JSON.stringify(wishes);
    if (key === this.wishes && scene === this.wishedScene) return;
    this.wishes = key;
    this.wishedScene = scene;
    this.send(wishes);
    const needsMore = (contacts && !this.contactsWished) || (velocities && !this.velocitiesWished);
    this.contactsWished = contacts;
    this.velocitiesWished = velocities !== false;
    if (!needsMore || this.isLive) return;
    this.outdated = this.underWay;
    this.timeline.discardFrames();
  }

  private request(index: number): boolean {
    if (this.isLive || this.source.isWhole) return false;
    // Whoever scrubs fast wants the place where he stops, not all he passed.
    if (this.timeline.waiting >= kMostWaiting) return false;
    // The frames that playing will need next come along.
    let count = 1;
    const most = Math.max(1, Math.min(8, Math.floor(kRequestBytes / this.frameBytes())));
    while (count < most && index + count < this.timeline.count && !this.timeline.peek(index + count)) ++count;
    this.timeline.expect(index, count);
    this.underWay += count;
    this.send({ type: 'frames', from: index, count, stride: 1 });
    return true;
  }

  private showCursor(): void {
    if (!this.scene.value) return;
    const index = this.player.cursor.value;
    const frame = this.timeline.at(index);
    if (frame) this.frame.value = frame;
    if (!this.isLive && !this.source.isWhole) this.timeline.prefetch(index + 1, Math.max(1, Math.min(24, Math.floor(kAheadBytes / this.frameBytes()))));
  }

  private frameBytes(): number {
    return 60 * this.scene.value!.moving.length + 52 * (this.frame.value?.contacts?.count ?? 0) + 1000;
  }
}

/** Why the picture shows less than the options ask for; empty: it shows all. */
export function missingText(app: App): string {
  const frame = app.frame.value;
  if (!frame) return '';
  const o = app.options.value;
  const needsContacts = o.contacts || o.forces || o.boxes || o.colorBy === 'force' || o.colorBy === 'residual';
  const needsSpeeds = o.colorBy === 'speed';
  // Live, the next frame of the present has what was just asked for; in a replay the frame is asked for again.
  const isPassing = app.isLive ? app.player.following.value : app.timeline.peek(app.player.cursor.value) !== frame;
  if (isPassing) return '';
  const what = needsContacts && !frame.contacts ? 'Contacts' : needsSpeeds && !frame.velocity ? 'Velocities' : '';
  if (!what) return '';
  if (app.isLive) return `${what} were not kept for this moment: they were not asked for then.`;
  return app.source.isWhole ? `${what} are not in this page.` : `${what} are not in the recording.`;
}

/** Sum of the contact forces on a body, N. */
export function contactForce(frame: Frame, body: number): [number, number, number] {
  const sum: [number, number, number] = [0, 0, 0];
  const contacts = frame.contacts;
  if (!contacts) return [NaN, NaN, NaN];
  for (let i = 0; i < contacts.count; ++i) {
    const sign = contacts.b[i] === body ? 1 : contacts.a[i] === body ? -1 : 0;
    if (sign === 0) continue;
    for (let d = 0; d < 3; ++d) sum[d] += sign * contacts.force[3 * i + d];
  }
  return sum;
}
