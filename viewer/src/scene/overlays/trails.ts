// The paths of the selected bodies up to now.
import type { App } from '../../app';
import type { Series } from '../../series';
import type { OverlayUniforms } from './common';
import { Ribbons } from './ribbons';

const kMostPoints = 2000; // of one trail

export class Trails {
  readonly ribbons: Ribbons;

  constructor(private readonly app: App, shared: OverlayUniforms) {
    this.ribbons = new Ribbons(shared, 2.5, 0.3);
  }

  update(bodies: readonly number[], color: number): void {
    this.ribbons.begin(bodies.length * kMostPoints);
    for (const body of bodies) this.add(body, this.path(body), color);
    this.ribbons.end();
  }

  private add(body: number, path: Float32Array, color: number): void {
    const count = path.length / 3;
    for (let k = 1; k < count; ++k) {
      const age = k / (count - 1); // 1: now
      this.ribbons.add(-1, path.subarray(3 * k - 3, 3 * k), -1, path.subarray(3 * k, 3 * k + 3), color, 0.25 + 0.75 * age);
    }
    // From the last point known to where it is drawn.
    if (count > 0 && count < kMostPoints) this.ribbons.add(-1, path.subarray(-3), body, [0, 0, 0], color, 1);
  }

  private path(body: number): Float32Array {
    const series = this.app.tracks.get(body);
    const fromTrack = series && series.count > 1 ? this.pathOfTrack(series) : null;
    return fromTrack ?? this.pathOfFrames(body);
  }

  /** Rows from the cursor back to where time jumps: the run was reset there. */
  private pathOfTrack(series: Series): Float32Array | null {
    const at = ['x', 'y', 'z', 'time'].map((name) => series.columns.indexOf(name));
    const time = this.app.frame.value?.time;
    if (time === undefined || at.includes(-1)) return null;
    const isNow = this.app.isLive && this.app.player.following.value;
    const last = isNow ? series.count - 1 : series.rowAt(time);
    let first = Math.max(0, last);
    while (first > 0 && series.row(first - 1)![at[3]] <= series.row(first)![at[3]]) --first;
    return sample(first, last, (row, out, k) => {
      for (let d = 0; d < 3; ++d) out[3 * k + d] = series.row(row)![at[d]];
    });
  }

  private pathOfFrames(body: number): Float32Array {
    const { timeline, player, scene } = this.app;
    const moving = scene.value?.bodies[body]?.moving ?? -1;
    const here: number[] = [];
    for (let index = 0; moving >= 0 && index <= player.cursor.value; ++index) {
      const frame = timeline.peek(index);
      if (frame && moving < frame.moving) here.push(index);
    }
    return sample(0, here.length - 1, (k, out, to) => {
      const { position } = timeline.peek(here[k])!;
      for (let d = 0; d < 3; ++d) out[3 * to + d] = position[3 * moving + d];
    });
  }

  dispose(): void {
    this.ribbons.dispose();
  }
}

/** Of first to last at most kMostPoints - 1, evenly. */
function sample(first: number, last: number, take: (index: number, out: Float32Array, at: number) => void): Float32Array {
  const stride = Math.max(1, Math.ceil((last - first + 1) / (kMostPoints - 1)));
  const count = last < first ? 0 : Math.floor((last - first) / stride) + 1;
  const out = new Float32Array(3 * count);
  // Counted from the end, so that the newest point is always there.
  for (let k = 0; k < count; ++k) take(last - (count - 1 - k) * stride, out, k);
  return out;
}
