// Numbers over time: the receipts of the steps, and the tracks of bodies.
import type { RowBlock } from './protocol';
import { Event } from './signal';

const kMostRows = 200000;

/** Rows of numbers under named columns, in the order of time. */
export class Series {
  columns: string[] = [];
  readonly changed = new Event();
  private rows: Float64Array[] = [];
  private cache = new Map<string, { values: Float64Array; filled: number }>();

  reset(columns: string[]): void {
    this.columns = columns;
    this.rows = [];
    this.cache.clear();
    this.changed.emit();
  }

  get count(): number {
    return this.rows.length;
  }

  add(block: RowBlock): void {
    for (let r = 0; r < block.rows; ++r) {
      this.rows.push(block.data.slice(r * block.columns, (r + 1) * block.columns));
    }
    this.finish();
  }

  addRows(rows: number[][]): void {
    for (const row of rows) this.rows.push(Float64Array.from(row, (x) => x ?? NaN));
    this.finish();
  }

  addRow(row: Float64Array): void {
    this.rows.push(row);
    this.finish();
  }

  column(name: string): Float64Array {
    const at = this.columns.indexOf(name);
    if (at < 0) return new Float64Array(0);
    const count = this.rows.length;
    const kept = this.cache.get(name) ?? { values: new Float64Array(count), filled: 0 };
    this.cache.set(name, kept);
    // Rows come one by one, for hours: only what is new is copied.
    if (kept.values.length < count) {
      const grown = new Float64Array(Math.max(1024, 2 * count));
      grown.set(kept.values.subarray(0, kept.filled));
      kept.values = grown;
    }
    for (; kept.filled < count; ++kept.filled) kept.values[kept.filled] = this.rows[kept.filled][at];
    return kept.values.subarray(0, count);
  }

  row(index: number): Float64Array | undefined {
    return this.rows[index];
  }

  /** The last row at or before `time`, -1: none. */
  rowAt(time: number): number {
    const times = this.column('time');
    let low = 0;
    let high = times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time + 1e-9) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  private finish(): void {
    if (this.rows.length > kMostRows) {
      const half = this.rows.length >> 1;
      this.rows = this.rows.filter((_, index) => index >= half || index % 2 === 0);
      this.cache.clear();
    }
    this.changed.emit();
  }
}
