// The receipt of the step shown, and how many steps missed the tolerance.
import type { App } from '../app';
import type { Series } from '../series';

/** As Series.rowAt, without making the column of times, which would be made anew for every live frame. */
export function rowAt(series: Series, time: number): Float64Array | undefined {
  const at = series.columns.indexOf('time');
  let low = 0;
  let high = series.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (series.row(middle)![at] <= time + 1e-9) low = middle + 1;
    else high = middle;
  }
  return series.row(low - 1);
}

export interface Receipt {
  step: number;
  time: number;
  residual: number;
  residual_worst: number;
  iterations: number;
  contacts: number;
  penetration: number;
  kinetic: number;
  potential: number;
  ms: number;
  converged: number;
  joint_error: number;
}

/** Of the last step at or before `time`; columns that the program does not send are NaN. */
export function receiptAt(app: App, time: number): Receipt | null {
  const row = rowAt(app.steps, time);
  if (!row) return null;
  const value = (name: string): number => row[app.steps.columns.indexOf(name)] ?? NaN;
  return {
    step: value('step'), time: value('time'), residual: value('residual'), residual_worst: value('residual_worst'),
    iterations: value('iterations'), contacts: value('contacts'), penetration: value('penetration'),
    kinetic: value('kinetic'), potential: value('potential'), ms: value('ms'), converged: value('converged'),
    joint_error: value('joint_error'),
  };
}

export type Verdict = 'good' | 'near' | 'bad' | 'unknown';

/** The program's own word decides; the tolerance, where known, tells near from far. */
export function judge(receipt: Receipt | null, tolerance: number): Verdict {
  if (!receipt || Number.isNaN(receipt.residual)) return 'unknown';
  if (receipt.converged === 1) return 'good';
  if (Number.isNaN(receipt.converged) && !(tolerance > 0)) return 'unknown';
  if (Number.isNaN(receipt.converged) && receipt.residual <= tolerance) return 'good';
  return tolerance > 0 && receipt.residual <= 10 * tolerance ? 'near' : 'bad';
}

export function toleranceOf(app: App): number {
  return app.status.value?.settings.tolerance ?? app.scene.value?.hello.scene.tolerance ?? NaN;
}

/** Counts steps that did not converge, looking at each row once. */
export class MissCounter {
  misses = 0;
  private seen = 0;

  constructor(private readonly series: Series) {}

  update(): void {
    const { series } = this;
    if (series.count === this.seen) return;
    if (series.count < this.seen) {
      // Thinned, or another run. The count goes on from what is left.
      this.seen = 0;
      this.misses = 0;
    }
    const at = series.columns.indexOf('converged');
    for (; this.seen < series.count; ++this.seen) if (at >= 0 && series.row(this.seen)![at] === 0) ++this.misses;
  }
}
