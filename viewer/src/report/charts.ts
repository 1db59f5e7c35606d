// The charts of the report: performance profiles at each tolerance, and the residuals of one problem over iterations and over time.
import { h } from '../ui/dom';
import { linearAxis, logAxis } from './axis';
import { Chart } from './chart';
import type { Line, Point } from './chart';
import { digits, isSolved, statisticsOf, timeText, toleranceText, unique } from './data';
import type { Data, HistoryRow, Result } from './data';
import type { Looks } from './look';
import { choice } from './widgets';

const kMostRatio = 1e4; // what is slower by more is drawn at the edge
const kLeastResidual = 1e-17; // zeros have no logarithm

export function profileCharts(data: Data, looks: Looks): HTMLElement {
  const charts = data.tolerances.map((tolerance, index) => {
    const chart = new Chart(`profile-${index}`, `Tolerance ${toleranceText(tolerance)}`,
      { x: 'CPU time over that of the fastest solver', y: 'share of problems solved' }, looks);
    return { tolerance, chart };
  });
  const families = unique(data.statistics.map((entry) => entry.family));
  const draw = (family: string): void => charts.forEach(({ tolerance, chart }) => drawProfile(data, tolerance, family, chart));
  const select = choice('problems', families.map((family) => [family, family === '' ? 'all' : family]), draw);
  draw('');
  return h('section', { id: 'profiles' },
    h('h2', {}, 'Performance profiles'),
    h('p', { class: 'note' },
      'How large a share of all problems a solver solves within a given multiple of the time of the fastest solver for each ',
      'problem (Dolan and Moré 2002). Where a curve begins: how often it is the fastest. Where it ends: how much it solves at all. ',
      'The fastest is taken among all solvers of the comparison, also those switched off.'),
    families.length > 2 ? select : null,
    h('div', { class: 'charts' }, ...charts.map(({ chart }) => chart.element)));
}

function drawProfile(data: Data, tolerance: number, family: string, chart: Chart): void {
  const entry = statisticsOf(data, tolerance, family);
  if (!entry) return;
  const total = entry.solvers[0]?.problems ?? 0;
  let most = 2;
  const lines: Line[] = [];
  for (const solver of data.solvers) {
    const steps = entry.profiles[solver] ?? [];
    if (steps.length === 0) continue;
    const points: Point[] = steps.map(([ratio, share]) => ({
      x: Math.min(ratio, kMostRatio),
      y: share,
      text: [`within ${digits(ratio)} × the fastest: ${Math.round(share * total)} of ${total} problems`],
    }));
    // A curve that begins later is zero before.
    if (points[0].x > 1) points.unshift({ x: 1, y: 0, text: ['fastest on no problem'] });
    most = Math.max(most, points[points.length - 1].x);
    lines.push({ solver, points, isStep: true });
  }
  const last = (line: Line): number => line.points[line.points.length - 1].y;
  lines.sort((a, b) => last(b) - last(a));
  chart.show({ x: logAxis(1, most), y: linearAxis(0, 1), lines });
}

export function convergenceCharts(data: Data, looks: Looks): HTMLElement {
  const withHistory = data.results.filter((result) => (result.history?.length ?? 0) > 0);
  const residual = data.judged_by === 'siconos' ? 'residual (Siconos)' : 'residual';
  const overIterations = new Chart('iterations', 'Residual over iterations', { x: 'iteration', y: residual }, looks);
  const overTime = new Chart('time', 'Residual over time', { x: 'time, s', y: residual }, looks);
  const problems = unique(withHistory.map((result) => result.problem));
  const nameOf = new Map(withHistory.map((result) => [result.problem, `${result.family} / ${result.name} (${result.unknowns} unknowns)`]));
  const shown = { problem: mostInteresting(withHistory), tolerance: Math.min(...data.tolerances), part: 2 };
  const draw = (): void => {
    const results = withHistory.filter(({ problem, tolerance }) => problem === shown.problem && tolerance === shown.tolerance);
    const levels = [{ y: shown.tolerance, text: `tolerance ${toleranceText(shown.tolerance)}` }];
    for (const [chart, column] of [[overIterations, 0], [overTime, 1]] as const) {
      const lines = results.map((result) => lineOf(result, column, shown.part)).filter((line) => line.points.length > 0);
      const xs = lines.flatMap((line) => line.points.map((point) => point.x));
      const ys = lines.flatMap((line) => line.points.map((point) => point.y)).concat(shown.tolerance);
      chart.show({
        x: logAxis(least(xs, 1), greatest(xs, 10)), y: logAxis(Math.max(least(ys, 1e-8), 1e-16), Math.min(greatest(ys, 1), 1e6)), lines, levels,
      });
    }
  };
  const problem = choice('problem', problems.map((path) => [path, nameOf.get(path)!]), (value) => {
    shown.problem = value;
    draw();
  }, shown.problem);
  const tolerance = choice('tolerance', data.tolerances.map((value) => [String(value), toleranceText(value)]), (value) => {
    shown.tolerance = Number(value);
    draw();
  }, String(shown.tolerance));
  const part = choice('part', [['2', 'total'], ['3', 'normal'], ['4', 'friction']], (value) => {
    shown.part = Number(value);
    draw();
  });
  draw();
  return h('section', { id: 'convergence' },
    h('h2', {}, 'Convergence'),
    h('p', { class: 'note' },
      'The residual by the judge after every iteration, from runs of their own that are not the timed ones. ',
      'A dot: converged; a cross: not. An iteration of one method is not the work of one of another.'),
    h('div', { class: 'row' }, problem, data.tolerances.length > 1 ? tolerance : null, part),
    h('div', { class: 'charts' }, overIterations.element, overTime.element));
}

function lineOf(result: Result, column: 0 | 1, part: number): Line {
  const points: Point[] = [];
  for (const row of result.history!) {
    const value = row[part];
    if (value === null || !Number.isFinite(value) || !(row[column] > 0)) continue;
    points.push({ x: row[column], y: Math.max(value, kLeastResidual), text: textOf(row) });
  }
  return { solver: result.solver, points, end: isSolved(result) ? 'good' : 'bad' };
}

function textOf([iteration, seconds, total, normal, friction, open, stick, slide]: HistoryRow): string[] {
  const text = [`iteration ${iteration}, ${timeText(seconds)}`,
    `residual ${digits(total)} (normal ${digits(normal)}, friction ${digits(friction)})`];
  if (open + stick + slide > 0) text.push(`${open} open, ${stick} stick, ${slide} slide`);
  return text;
}

/** A problem that many solvers worked on, and no tiny one. */
function mostInteresting(results: Result[]): string {
  const count = new Map<string, number>();
  results.forEach(({ problem }) => count.set(problem, (count.get(problem) ?? 0) + 1));
  const score = ({ problem, unknowns }: Result): number => count.get(problem)! * Math.log10(10 + unknowns);
  return results.reduce<Result | null>((best, one) => (best && score(best) >= score(one) ? best : one), null)?.problem ?? '';
}

// Not Math.min(...values), which has room for some ten thousand only.
const least = (values: number[], otherwise: number): number => (values.length ? values.reduce((a, b) => Math.min(a, b)) : otherwise);
const greatest = (values: number[], otherwise: number): number => (values.length ? values.reduce((a, b) => Math.max(a, b)) : otherwise);
