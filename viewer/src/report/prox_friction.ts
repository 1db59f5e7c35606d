// The friction angle: positions over time, distances from exact pivoting, and both in tables.
import { h } from '../ui/dom';
import { linearAxis, logAxis } from './axis';
import { Chart } from './chart';
import type { Line } from './chart';
import { digits, timeText, unique } from './data';
import { Looks } from './look';
import type { FrictionCase, MethodRun } from './prox_data';
import { choice, solverName, table } from './widgets';
import type { Column } from './widgets';

const kShifted = 'shifted start';
const kAgreed = 1e-6; // m
const kLeastDistance = 1e-17; // zeros have no logarithm

const bodyName = (body: string): string => `body ${body} (starts at x = ${Number(body) / 100} m)`;

export function frictionSection(cases: FrictionCase[]): HTMLElement | null {
  if (cases.length === 0) return null;
  const methods = unique(cases.flatMap((one) => one.runs.map((run) => run.method)));
  const looks = new Looks([...methods, kShifted]);
  return h('section', { id: 'friction-angle' },
    h('h2', {}, 'Friction angle'),
    h('p', { class: 'note' },
      '25 hexagons or octagons land on a platform. Every method is compared with exact pivoting (the first such method that misses no step), body by body and ',
      'step by step. Where tiny shifts of the start grow by more than a factor of 1000, two right answers need not stay together: ',
      'bodies for which they do not grow are called steady, and of them methods that converge must agree to 1 µm.'),
    overview(cases),
    oneCase(cases, looks));
}

/** Cases down, methods across: the distance of steady bodies from pivoting. */
function overview(cases: FrictionCase[]): HTMLElement {
  const methods = unique(cases.flatMap((one) => one.runs.map((run) => run.method)));
  const cell = (run: MethodRun | undefined): HTMLElement | string => {
    if (!run) return '–';
    const hasConverged = run.unconverged_steps === 0 && run.failure === '';
    const isGood = run.farthest_steady_m <= kAgreed;
    return h('span', {
      class: isGood ? 'good' : hasConverged ? 'bad' : 'open',
      title: hasConverged ? 'every step converged' : run.failure
        || `${run.unconverged_steps} of ${run.steps} steps missed the tolerance ${run.tolerance}; ${digits(run.until_missed_m)} m before the first of them`,
    }, digits(run.farthest_steady_m) + (hasConverged ? '' : ' *'));
  };
  const columns: Column<FrictionCase>[] = [
    { head: 'case', isText: true, cell: (row) => row.case },
    { head: 'steady', help: 'bodies for which tiny shifts of the start do not grow', cell: (row) => `${row.steady_bodies} of ${row.bodies}` },
    { head: 'at rest', help: 'bodies that do not move at the end', cell: (row) => String(row.resting_bodies) },
    ...methods.map((method) => ({ head: method, cell: (row: FrictionCase) => cell(row.runs.find((run) => run.method === method)) })),
  ];
  return h('div', {},
    h('h3', {}, 'Farthest any steady body comes from pivoting, m'),
    table(columns, cases, { 'data-table': 'agreement' }),
    h('p', { class: 'note' }, '* some steps missed the tolerance, 1e-10, or 1e-6 in single precision: what comes after them is another motion.'));
}

function oneCase(cases: FrictionCase[], looks: Looks): HTMLElement {
  const positions = new Chart('positions', 'Position', { x: 'time, s', y: 'x, m' }, looks);
  const distances = new Chart('distances', 'Distance of the farthest body from pivoting', { x: 'time, s', y: 'm' }, looks);
  const rows = h('div');
  const shown = { index: 0, body: Object.keys(cases[0].runs[0].x)[0] };
  const draw = (): void => {
    const one = cases[shown.index];
    drawPositions(one, shown.body, positions);
    drawDistances(one, distances);
    rows.replaceChildren(methodTable(one, looks));
  };
  const bodies = Object.keys(cases[0].runs[0].x);
  const element = h('div', {},
    h('div', { class: 'row' },
      choice('case', cases.map((one, index) => [String(index), one.case]), (value) => {
        shown.index = Number(value);
        draw();
      }),
      choice('body', bodies.map((body) => [body, bodyName(body)]), (value) => {
        shown.body = value;
        draw();
      })),
    h('div', { class: 'charts' }, positions.element, distances.element),
    rows);
  draw();
  return element;
}

function drawPositions(one: FrictionCase, body: string, chart: Chart): void {
  const lines: Line[] = one.runs.map((run) => ({
    solver: run.method,
    points: run.x[body].map((x, index) => ({ x: index * run.step, y: x, text: [`x = ${x} m at ${digits(index * run.step)} s`] })),
  }));
  chart.show({ x: linearAxis(0, longest(lines)), y: rangeAxis(lines), lines });
}

function drawDistances(one: FrictionCase, chart: Chart): void {
  const { step } = one.runs[0];
  const line = (solver: string, values: number[]): Line => ({
    solver,
    points: values.map((value, index) => ({
      x: index * step, y: Math.max(value, kLeastDistance), text: [`${digits(value)} m at ${digits(index * step)} s`],
    })),
  });
  const lines = one.runs.filter((run) => run.method !== one.reference).map((run) => line(run.method, run.distance));
  lines.push(line(kShifted, one.spread));
  const most = Math.max(1e-5, ...lines.flatMap(({ points }) => points.map((point) => point.y)));
  chart.show({
    x: linearAxis(0, longest(lines)), y: logAxis(kLeastDistance, most), lines, levels: [{ y: kAgreed, text: '1 µm' }],
  });
}

function methodTable(one: FrictionCase, looks: Looks): HTMLElement {
  const columns: Column<MethodRun>[] = [
    { head: 'method', isText: true, cell: (row) => solverName(row.method, looks) },
    { head: 'tolerance', cell: (row) => digits(row.tolerance) },
    { head: 'steps missed', help: 'by the audit, at this tolerance', cell: (row) => `${row.unconverged_steps} of ${row.steps}` },
    { head: 'iterations', help: 'per step', cell: (row) => digits(row.iterations_mean) },
    { head: 'CPU time', cell: (row) => timeText(row.cpu_s) },
    { head: 'farthest, m', help: 'of any body from pivoting at any time', cell: (row) => digits(row.farthest_m) },
    { head: 'steady, m', help: 'the same of steady bodies', cell: (row) => digits(row.farthest_steady_m) },
    { head: 'before a miss, m', help: 'steady bodies, until it or the reference first misses the tolerance, or a step has two solutions', cell: (row) => digits(row.until_missed_m) },
    { head: '1 µm apart at', cell: (row) => (row.apart_at_s === null ? 'never' : `${digits(row.apart_at_s)} s`) },
    { head: 'slip at rest, m', help: 'of bodies that rest by pivoting, in the last quarter of a second', cell: (row) => digits(row.rest_slip_m) },
    { head: 'turn at rest, rad', cell: (row) => digits(row.rest_turn_rad) },
    { head: 'steps alone', help: 'of the reference, each solved from zero: converged', cell: (row) => `${row.alone_converged} of ${row.alone_steps}` },
    { head: 'm/s', help: 'farthest velocity of any body from the reference in those', cell: (row) => digits(row.alone_velocity_m_s) },
    { head: 'other solutions', help: 'steps in which it found another solution than the reference, and how far apart they are', cell: (row) => (row.alone_other_solutions === 0 ? '0' : `${row.alone_other_solutions}, ${digits(row.alone_other_m_s)} m/s`) },
  ];
  return h('div', {}, h('h3', {}, `${one.case}, compared with ${one.reference}`), table(columns, one.runs, { 'data-table': 'methods' }));
}

export function longest(lines: Line[]): number {
  return Math.max(1e-9, ...lines.map(({ points }) => points[points.length - 1]?.x ?? 0));
}

export function rangeAxis(lines: Line[]): ReturnType<typeof linearAxis> {
  const all = lines.flatMap(({ points }) => points.map((point) => point.y)).filter(Number.isFinite);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const room = Math.max(0.05 * (high - low), 1e-4);
  return linearAxis(low - room, high + room);
}
