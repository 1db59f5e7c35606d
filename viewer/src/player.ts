// Where on the timeline the page is, and how it moves along.
//
// There is one cursor. In a replay the page moves it. Live it stands at the newest frame; a user who
// goes back looks at the past, while the simulation is paused, and playing goes through the past to the present.
import type { ClientMessage } from './protocol';
import { Signal } from './signal';
import type { Timeline } from './timeline';

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export class Player {
  /** Index of the frame shown. */
  readonly cursor = new Signal(0);
  readonly playing = new Signal(false);
  /** Times real time; live 0: as fast as it can. */
  readonly speed = new Signal(1);
  /** Live: the cursor stays at the newest frame. */
  readonly following = new Signal(true);
  isLive = false;
  canControl = false;
  canRestart = false;
  hasEnded = false; // live: the run is over
  private time = 0; // s, of the cursor while playing

  constructor(
    private readonly timeline: Timeline,
    private readonly send: (message: ClientMessage) => void,
  ) {
    this.cursor.watch((index) => (timeline.shown = index));
    timeline.changed.watch(() => this.onTimelineChanged());
  }

  get isAtEnd(): boolean {
    return this.cursor.value >= this.timeline.count - 1;
  }

  play(): void {
    if (this.isLive && this.following.value) {
      this.send({ type: 'play' });
      return;
    }
    if (!this.isLive && this.isAtEnd) this.cursor.value = 0;
    this.time = this.timeline.times[this.cursor.value] ?? 0;
    this.playing.value = true;
  }

  pause(): void {
    if (this.isLive && this.following.value) this.send({ type: 'pause' });
    else this.playing.value = false;
  }

  toggle(): void {
    if (this.playing.value) this.pause();
    else this.play();
  }

  /** To frame `index`; live: away from the present, which pauses the simulation. */
  seek(index: number): void {
    const last = Math.max(0, this.timeline.count - 1);
    const target = Math.min(last, Math.max(0, Math.round(index)));
    if (this.isLive) {
      if (target < last) {
        if (this.following.value && this.playing.value && this.canControl) this.send({ type: 'pause' });
        if (this.following.value) this.playing.value = false;
        this.following.value = false;
      }
    }
    this.cursor.value = target;
    this.time = this.timeline.times[target] ?? 0;
    if (this.isLive && target === last) this.following.value = true;
  }

  seekTime(time: number): void {
    this.seek(this.timeline.indexAt(time));
  }

  /** By single frames; forward from the present is a step of the simulation. */
  step(count: number): void {
    if (this.isLive && this.following.value && count > 0) {
      this.send({ type: 'step', count });
      return;
    }
    if (!this.isLive) this.playing.value = false;
    this.seek(this.cursor.value + count);
  }

  reset(): void {
    if (this.isLive && this.canRestart) this.send({ type: 'reset' });
    else this.seek(0);
  }

  goLive(): void {
    this.seek(this.timeline.count - 1);
  }

  setSpeed(factor: number): void {
    this.speed.value = factor;
    if (this.isLive) this.send({ type: 'speed', factor });
  }

  /** +1: the next faster of SPEEDS, -1: the next slower. */
  changeSpeed(direction: number): void {
    const now = this.speed.value === 0 ? SPEEDS[SPEEDS.length - 1] : this.speed.value;
    const next =
      direction > 0 ? SPEEDS.find((s) => s > now * 1.001) : [...SPEEDS].reverse().find((s) => s < now * 0.999);
    if (next !== undefined) this.setSpeed(next);
  }

  /** Once per drawn frame, `seconds` after the last. */
  advance(seconds: number): void {
    if (!this.playing.value || (this.isLive && this.following.value)) return;
    const times = this.timeline.times;
    const last = times.length - 1;
    if (last < 0) return;
    // Long pauses (a hidden tab) are no reason to jump; frames on their way are waited for.
    const ahead = this.timeline.at(Math.min(last, this.cursor.value + 1));
    if (!ahead) return;
    this.time += Math.min(seconds, 0.1) * (this.speed.value || 1);
    this.cursor.value = Math.max(this.cursor.value, this.timeline.indexAt(this.time));
    if (this.cursor.value < last) return;
    if (this.isLive) {
      this.following.value = true;
      if (this.canControl && !this.hasEnded) this.send({ type: 'play' });
      else this.playing.value = false;
    } else {
      this.playing.value = false;
    }
  }

  private onTimelineChanged(): void {
    const last = Math.max(0, this.timeline.count - 1);
    if (this.isLive && this.following.value) this.cursor.value = last;
    else this.cursor.value = Math.min(this.timeline.shown, last);
  }
}
