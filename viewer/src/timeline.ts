// The frames the page has. Live: the last minutes, thinned with age so that they fit into memory.
// Replay: whichever frames of the recording were asked for last, or all of them.
import type { Frame } from './protocol';
import { Event } from './signal';

const kMemory = 400e6; // bytes

function bytesOf(frame: Frame): number {
  // With what the objects themselves take.
  let bytes = 2500 + frame.position.byteLength + frame.orientation.byteLength;
  if (frame.velocity) bytes += 2 * frame.velocity.byteLength;
  if (frame.contacts) bytes += 52 * frame.contacts.count;
  return bytes;
}

/** First index whose time is above `time`. */
function upperBound(times: ArrayLike<number>, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class Timeline {
  /** Time of every frame there is, also of those not here yet, s. */
  times: number[] = [];
  /** Frames were added or dropped, or the count changed. */
  readonly changed = new Event();
  /** Index of the frame that is looked at. Thinning keeps that frame, and this with it. */
  shown = 0;
  private frames: (Frame | undefined)[] = [];
  private memory = kMemory;
  private bytes = 0;
  private keepAll = false;
  private used: number[] = []; // replay: indices in the order of their last use
  private missing = new Set<number>();

  /** `request` asks for a frame of a recording, which arrives through place(); false: not now. */
  constructor(private readonly request: (index: number) => boolean) {}

  get count(): number {
    return this.times.length;
  }

  clear(): void {
    this.times = [];
    this.frames = [];
    this.used = [];
    this.missing.clear();
    this.bytes = 0;
    this.shown = 0;
    this.changed.emit();
  }

  /** Replay: what there is to ask for. `keepAll`: frames cannot be asked for twice. */
  announce(times: number[], keepAll = false): void {
    this.times = times;
    this.keepAll = keepAll;
    this.changed.emit();
  }

  grow(times: number[]): void {
    for (const time of times) this.times.push(time);
    this.changed.emit();
  }

  /** Live: the newest frame. */
  append(frame: Frame): void {
    const last = this.frames.at(-1);
    // The present again, with more in it.
    if (last && last.step === frame.step) {
      this.bytes -= bytesOf(last);
      this.frames.pop();
      this.times.pop();
    }
    this.times.push(frame.time);
    this.frames.push(frame);
    this.bytes += bytesOf(frame);
    if (this.bytes > this.memory) this.thin();
    this.changed.emit();
  }

  /** Replay: frame `frame.number`. */
  place(frame: Frame): void {
    const index = frame.number;
    if (index < 0 || index >= this.times.length) return;
    const before = this.frames[index];
    if (before) this.bytes -= bytesOf(before);
    this.frames[index] = frame;
    this.bytes += bytesOf(frame);
    this.missing.delete(index);
    this.touch(index);
    while (!this.keepAll && this.bytes > this.memory && this.used.length > 8) this.drop();
    this.changed.emit();
  }

  /** The frame, or undefined while it is on its way. */
  at(index: number): Frame | undefined {
    const frame = this.frames[index];
    if (frame) {
      this.touch(index);
      return frame;
    }
    if (index >= 0 && index < this.times.length && !this.missing.has(index)) {
      if (this.request(index)) this.missing.add(index);
    }
    return undefined;
  }

  /** These were asked for together. */
  expect(from: number, count: number): void {
    for (let index = from; index < from + count; ++index) this.missing.add(index);
  }

  /** Asks for the first of the next `count` frames that is neither here nor on its way. */
  prefetch(from: number, count: number): void {
    const end = Math.min(this.times.length, from + count);
    for (let index = from; index < end; ++index) {
      if (this.frames[index] || this.missing.has(index)) continue;
      if (this.request(index)) this.missing.add(index);
      return;
    }
  }

  /** The frame if it is here; asks for nothing. */
  peek(index: number): Frame | undefined {
    return this.frames[index];
  }

  /** Frames on their way. */
  get waiting(): number {
    return this.missing.size;
  }

  /** Everything that was asked for is forgotten: the connection was lost, or wishes changed. */
  forgetRequests(): void {
    this.missing.clear();
  }

  /** Frames that lack what is wanted now are asked for again. */
  discardFrames(): void {
    if (this.keepAll) return;
    this.frames = [];
    this.used = [];
    this.bytes = 0;
    this.missing.clear();
    this.changed.emit();
  }

  /** The last frame at or before `time`. */
  indexAt(time: number): number {
    return Math.max(0, upperBound(this.times, time + 1e-9) - 1);
  }

  private touch(index: number): void {
    if (this.keepAll || this.used.at(-1) === index) return;
    const at = this.used.indexOf(index);
    if (at >= 0) this.used.splice(at, 1);
    this.used.push(index);
  }

  private drop(): void {
    const index = this.used.shift()!;
    const frame = this.frames[index];
    if (frame) this.bytes -= bytesOf(frame);
    this.frames[index] = undefined;
  }

  /** Every second frame of the older half goes: what is long ago needs less detail. */
  private thin(): void {
    const half = this.frames.length >> 1;
    const { shown } = this;
    const keep = (index: number): boolean => index >= half || index % 2 === 0 || index === shown;
    this.shown = this.frames.reduce((sum, _, index) => sum + (index < shown && keep(index) ? 1 : 0), 0);
    this.times = this.times.filter((_, index) => keep(index));
    this.frames = this.frames.filter((_, index) => keep(index));
    this.bytes = this.frames.reduce((sum, frame) => sum + (frame ? bytesOf(frame) : 0), 0);
  }
}
