// Run times of the groups of hexagons beside those of the thesis.
import { h } from '../ui/dom';
import { linearAxis, logAxis } from './axis';
import { Chart } from './chart';
import type { Line } from './chart';
import { digits } from './data';
import { Looks } from './look';
import type { Groups } from './prox_data';
import { table } from './widgets';
import type { Column } from './widgets';

interface Times {
  name: string;
  seconds: number[];
  note: string;
}

export function groupsSection(all: Groups[]): HTMLElement | null {
  if (all.length === 0) return null;
  return h('section', { id: 'hexagons' },
    h('h2', {}, 'Groups of hexagons'),
    h('p', { class: 'note' },
      'Seconds of computing, from the start, for the first second of simulated time, the first two, and so on. The figures of the ',
      'thesis are of 2011: an Intel Core i7 930 and, for proxCUDA, an NVIDIA GTX 480, by another program with its own collision ',
      'detection. The machines differ; what can be compared are the growth and the ratios within one machine.'),
    ...all.map(oneTable));
}

function oneTable(one: Groups): HTMLElement {
  const thesis: Times[] = (one.thesis ?? []).map(({ solver, seconds }) => ({
    name: `${solver} (thesis)`, seconds, note: `table ${one.table}`,
  }));
  const ours: Times[] = one.runs.map((run) => ({
    name: run.method,
    seconds: run.seconds,
    note: `${run.unconverged_steps} of ${run.steps} steps missed ${digits(run.tolerance)}${run.failure ? `; ${run.failure}` : ''}`,
  }));
  const rows = [...ours, ...thesis];
  const most = Math.max(...rows.map(({ seconds }) => seconds.length));
  const columns: Column<Times>[] = [
    { head: 'method', isText: true, cell: (row) => row.name },
    ...Array.from({ length: most }, (_, k) => ({
      head: `${k + 1} s`, cell: (row: Times) => (k < row.seconds.length ? digits(row.seconds[k]) : '–'),
    })),
    { head: '', isText: true, cell: (row) => row.note },
  ];
  const looks = new Looks(rows.map(({ name }) => name));
  const chart = new Chart(`groups-${one.groups}`, `${one.bodies} bodies`, { x: 'simulated, s', y: 'computing, s' }, looks);
  const lines: Line[] = rows.filter(({ seconds }) => seconds.length > 0).map(({ name, seconds }) => ({
    solver: name,
    points: seconds.map((value, k) => ({ x: k + 1, y: value, text: [`${digits(value)} s for ${k + 1} s`] })),
  }));
  const ys = lines.flatMap(({ points }) => points.map((point) => point.y));
  chart.show({ x: linearAxis(0, most), y: logAxis(Math.min(...ys), Math.max(...ys)), lines });
  return h('div', {},
    h('h3', {}, `${one.groups} group${one.groups === 1 ? '' : 's'}, ${one.bodies} bodies${one.table ? ` (table ${one.table})` : ''}`),
    table(columns, rows, { 'data-table': 'times' }),
    h('div', { class: 'charts' }, chart.element));
}
