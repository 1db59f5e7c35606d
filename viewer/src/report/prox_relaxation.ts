// The relaxation study: what omega and the number of iterations make of the motion.
import { h } from '../ui/dom';
import { linearAxis, logAxis } from './axis';
import { Chart } from './chart';
import type { Line } from './chart';
import { digits, unique } from './data';
import { Looks } from './look';
import type { RelaxationCase, RelaxationRun } from './prox_data';
import { longest, rangeAxis } from './prox_friction';
import { choice, table } from './widgets';
import type { Column } from './widgets';

const kPivoting = 'pivoting';
const kLeastDistance = 1e-12;
const kMostPosition = 1e3; // m; what flies farther is not drawn

const omegaName = (omega: number): string => `omega ${omega}`;

export function relaxationSection(cases: RelaxationCase[]): HTMLElement | null {
  if (cases.length === 0) return null;
  const looks = new Looks([kPivoting, ...unique(cases.flatMap((one) => one.omegas)).map(omegaName)]);
  const positions = new Chart('relaxed-positions', 'Position of body 17', { x: 'time, s', y: 'x, m' }, looks);
  const ends = new Chart('relaxed-ends', 'Distance of the farthest body from pivoting at the end', { x: 'iterations at most', y: 'm' }, looks);
  const rows = h('div');
  const shown = { index: 0, most: preferred(cases[0].limits) };
  const draw = (): void => {
    const one = cases[shown.index];
    drawPositions(one, shown.most, positions);
    drawEnds(one, ends);
    rows.replaceChildren(h('h3', {}, `${one.case} (figure ${one.figure} of the thesis)`), grid(one));
  };
  draw();
  return h('section', { id: 'relaxation' },
    h('h2', {}, 'Relaxation'),
    h('p', { class: 'note' },
      'prox-jacobi as the thesis stops it: when every contact passes the threshold of 10 nm/s, or after a number of iterations, ',
      'whatever the judge says. omega scales its steps.'),
    h('div', { class: 'row' },
      choice('case', cases.map((one, index) => [String(index), one.case]), (value) => {
        shown.index = Number(value);
        draw();
      }),
      choice('iterations', cases[0].limits.map((most) => [String(most), String(most)]), (value) => {
        shown.most = Number(value);
        draw();
      }, String(shown.most))),
    h('div', { class: 'charts' }, positions.element, ends.element),
    rows);
}

/** The thesis has 500. */
const preferred = (limits: number[]): number => (limits.includes(500) ? 500 : limits[limits.length - 1]);

function drawPositions(one: RelaxationCase, most: number, chart: Chart): void {
  const { step } = one.pivoting;
  const line = (solver: string, xs: number[]): Line => ({
    solver,
    points: xs.map((x, index) => ({ x: index * step, y: x, text: [`x = ${x} m at ${digits(index * step)} s`] }))
      .filter(({ y }) => Math.abs(y) < kMostPosition),
  });
  const lines = [
    line(kPivoting, one.pivoting.x['17']),
    ...one.runs.filter((run) => run.max_iterations === most).map((run) => line(omegaName(run.omega), run.x['17'])),
  ];
  chart.show({ x: linearAxis(0, longest(lines)), y: rangeAxis(lines), lines });
}

function drawEnds(one: RelaxationCase, chart: Chart): void {
  const lines: Line[] = one.omegas.map((omega) => ({
    solver: omegaName(omega),
    points: one.runs.filter((run) => run.omega === omega).map((run) => ({
      x: run.max_iterations, y: Math.max(run.end_m, kLeastDistance), text: [`${digits(run.end_m)} m after at most ${run.max_iterations} iterations`],
    })),
  }));
  const ys = lines.flatMap(({ points }) => points.map((point) => point.y));
  chart.show({ x: logAxis(one.limits[0], one.limits[one.limits.length - 1]), y: logAxis(Math.min(...ys), Math.max(...ys)), lines });
}

/** omega down, iterations across. */
function grid(one: RelaxationCase): HTMLElement {
  const of = (omega: number, most: number): RelaxationRun | undefined =>
    one.runs.find((run) => run.omega === omega && run.max_iterations === most);
  const cell = (run: RelaxationRun | undefined): HTMLElement | string => {
    if (!run) return '–';
    if (run.failure) return h('span', { class: 'bad', title: run.failure }, 'failed');
    return h('span', {
      class: run.end_m <= 1e-4 ? 'good' : 'open',
      title: `${run.unconverged_steps} of ${run.steps} steps missed 1e-4; ${digits(run.iterations_mean)} iterations a step`,
    }, `${digits(run.end_m)} / ${digits(run.rest_slip_m)}`);
  };
  const columns: Column<number>[] = [
    { head: 'omega', cell: (omega) => String(omega) },
    ...one.limits.map((most) => ({ head: `${most} iterations`, cell: (omega: number) => cell(of(omega, most)) })),
  ];
  return h('div', {},
    table(columns, one.omegas, { 'data-table': 'relaxation' }),
    h('p', { class: 'note' }, 'Farthest body from pivoting at the end, m / slip of bodies that should rest over the last quarter of a second, m.'));
}
