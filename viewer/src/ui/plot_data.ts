// Tables of numbers over time: joined, thinned for drawing, written as CSV.

export interface PlotColumn {
  label: string;
  body?: string; // whose, by name
  unit: string;
  values: ArrayLike<number>;
  color: string; // name of a custom property of the style sheet
  dash?: number[];
  isSteps?: boolean; // counts: drawn as stairs
}

export interface PlotTable {
  time: ArrayLike<number>; // s, ascending
  columns: PlotColumn[];
}

const kSameTime = 1e-9; // s

/** One table with the times of all; where a table has no row, NaN. */
export function joinTables(tables: PlotTable[]): PlotTable {
  if (tables.length === 1) return tables[0];
  const at = tables.map(() => 0);
  const time: number[] = [];
  const picked: number[][] = tables.map(() => []);
  for (;;) {
    let next = Infinity;
    tables.forEach((table, k) => {
      if (at[k] < table.time.length) next = Math.min(next, table.time[at[k]]);
    });
    if (next === Infinity) break;
    time.push(next);
    tables.forEach((table, k) => {
      const isHere = at[k] < table.time.length && table.time[at[k]] <= next + kSameTime;
      picked[k].push(isHere ? at[k]++ : -1);
    });
  }
  const columns = tables.flatMap((table, k) =>
    table.columns.map((column) => ({
      ...column,
      values: Float64Array.from(picked[k], (row) => (row < 0 ? NaN : column.values[row])),
    })),
  );
  return { time, columns };
}

/** Full precision, one header line with units. */
export function toCsv({ time, columns }: PlotTable): string {
  const quote = (text: string): string => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const named = ({ body, label, unit }: PlotColumn): string => quote([body, label, unit && `[${unit}]`].filter(Boolean).join(' '));
  const lines = [['time [s]', ...columns.map(named)].join(',')];
  for (let row = 0; row < time.length; ++row) {
    const cells = columns.map(({ values }) => (Number.isNaN(values[row]) ? '' : String(values[row])));
    lines.push([String(time[row]), ...cells].join(','));
  }
  return `${lines.join('\n')}\n`;
}

/** Rows with `from` <= time <= `to`, and one more on both sides, so that lines go on to the edge. */
export function rowsWithin(time: ArrayLike<number>, from: number, to: number): [number, number] {
  const first = (value: number): number => {
    let low = 0;
    let high = time.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (time[middle] < value) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return [Math.max(0, first(from) - 1), Math.min(time.length, first(to) + 1)];
}

/**
 * Rows to draw of [begin, end): all, or, of each of many equal groups, those where some column is lowest or highest,
 * so that no peak is lost.
 */
export function thinRows(table: PlotTable, begin: number, end: number, most: number): number[] {
  const count = end - begin;
  if (count <= most) return Array.from({ length: count }, (_, k) => begin + k);
  const groups = Math.max(1, Math.floor(most / (2 * table.columns.length + 1)));
  const rows = [begin];
  for (let g = 0; g < groups; ++g) {
    const from = begin + Math.floor((g * count) / groups);
    const to = begin + Math.floor(((g + 1) * count) / groups);
    const kept = new Set<number>();
    for (const { values } of table.columns) {
      let lowest = from;
      let highest = from;
      for (let row = from + 1; row < to; ++row) {
        const value = values[row];
        if (value < values[lowest] || Number.isNaN(values[lowest])) lowest = row;
        if (value > values[highest] || Number.isNaN(values[highest])) highest = row;
      }
      kept.add(lowest).add(highest);
    }
    for (const row of [...kept].sort((p, q) => p - q)) if (row > rows[rows.length - 1]) rows.push(row);
  }
  if (rows[rows.length - 1] < end - 1) rows.push(end - 1);
  return rows;
}

/**
 * What the drawing takes: null where nothing is known (a logarithm also knows nothing of zero), and a null row in
 * every pause, so that no line claims to know what happened there.
 */
export function drawable(table: PlotTable, rows: number[], isLog: boolean): (number | null)[][] {
  const { time, columns } = table;
  const pause = longPause(time);
  const result: (number | null)[][] = Array.from({ length: columns.length + 1 }, () => []);
  rows.forEach((row, k) => {
    const before = row - 1;
    if (k > 0 && time[row] - time[before] > pause) {
      result[0].push((time[row] + time[before]) / 2);
      for (let c = 0; c < columns.length; ++c) result[c + 1].push(null);
    }
    result[0].push(time[row]);
    columns.forEach(({ values }, c) => {
      const value = values[row];
      result[c + 1].push(Number.isFinite(value) && (!isLog || value > 0) ? value : null);
    });
  });
  return result;
}

/** Longer than this between two rows, nobody was watching: ten times what is usual. */
function longPause(time: ArrayLike<number>): number {
  const count = time.length;
  if (count < 3) return Infinity;
  const samples: number[] = [];
  for (let k = 0; k < 101; ++k) {
    const row = 1 + Math.floor((k * (count - 2)) / 100);
    samples.push(time[row] - time[row - 1]);
  }
  return 10 * samples.sort((p, q) => p - q)[50] + kSameTime;
}
