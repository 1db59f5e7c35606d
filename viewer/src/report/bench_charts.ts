// Work-precision: what a step costs against how wrong it is, one line for each engine as its accuracy is turned up.
import { h } from '../ui/dom';
import { linearAxis, logAxis } from './axis';
import { Chart } from './chart';
import type { Line, Point } from './chart';
import { digits, toleranceText, unique } from './data';
import { isDone } from './bench_data';
import type { BenchData, BenchRun, SolveRun } from './bench_data';
import type { Looks } from './look';

interface Measure {
  key: 'displacement_m' | 'speed_end' | 'penetration_m' | 'penetration_end_m' | 'joint_separation_m' | 'energy_error' | 'residual_max';
  title: string;
  label: string;
  scale: number;
  least: number; // what is less is drawn here: zeros have no logarithm
}

const kMeasures: Record<string, Measure> = {
  drift: { key: 'displacement_m', title: 'drift', label: 'largest displacement, mm', scale: 1e3, least: 1e-6 },
  speed: { key: 'speed_end', title: 'speed at the end', label: 'largest speed at the end, mm/s', scale: 1e3, least: 1e-6 },
  overlap: { key: 'penetration_m', title: 'overlap', label: 'deepest overlap, mm', scale: 1e3, least: 1e-6 },
  overlapEnd: { key: 'penetration_end_m', title: 'overlap at the end', label: 'deepest overlap at the end, mm', scale: 1e3, least: 1e-6 },
  separation: { key: 'joint_separation_m', title: 'joints', label: 'widest joint, mm', scale: 1e3, least: 1e-9 },
  energy: { key: 'energy_error', title: 'energy', label: 'error of the energy, relative', scale: 1, least: 1e-12 },
  residual: { key: 'residual_max', title: 'residual', label: 'residual of the worst step', scale: 1, least: 1e-16 },
};
const kCharts: Record<string, string[]> = {
  wall: ['overlapEnd'],
  standing: ['drift', 'speed', 'overlap', 'residual'],
  pile: ['overlap', 'residual'],
  chain: ['separation', 'energy'],
  hexagons: ['overlap', 'residual'],
};

const kLeastTime = 1e-5; // ms; a clock may show nothing

const range = (values: number[]): [number, number] => [Math.min(...values), Math.max(...values)];

/** One line per family, in the order of the sweep. */
function linesOf(runs: BenchRun[], measure: Measure): Line[] {
  return unique(runs.map((run) => run.family)).map((family): Line => {
    const points: Point[] = [];
    for (const run of runs) {
      const value = run[measure.key];
      if (run.family !== family || value === null || value === undefined) continue;
      points.push({
        x: Math.max(run.cpu_ms!.median, kLeastTime),
        y: Math.max(measure.scale * value, measure.least),
        text: [run.knob, `${digits(run.cpu_ms!.median)} ms per step`, `${measure.label}: ${digits(measure.scale * value)}`],
      });
    }
    return { solver: family, points, hasDots: true };
  }).filter((line) => line.points.length > 0);
}

function show(chart: Chart, lines: Line[]): void {
  const points = lines.flatMap((line) => line.points);
  chart.show({ x: logAxis(...range(points.map(({ x }) => x))), y: logAxis(...range(points.map(({ y }) => y))), lines });
}

export function workPrecisionCharts(part: string, scene: string, runs: BenchRun[], looks: Looks): HTMLElement[] {
  const done = runs.filter(isDone);
  const charts: HTMLElement[] = [];
  for (const name of kCharts[part] ?? []) {
    const measure = kMeasures[name];
    const lines = linesOf(done, measure);
    if (lines.length === 0) continue;
    const id = `${scene}-${name}`.replace(/[^a-z0-9]+/gi, '-').toLowerCase();
    const chart = new Chart(id, `${scene}: ${measure.title}`, { x: 'CPU ms per step', y: measure.label }, looks);
    show(chart, lines);
    charts.push(chart.element);
  }
  return charts;
}

export function scalingSection(data: BenchData, looks: Looks): HTMLElement | null {
  const runs = data.runs.filter((run) => run.part === 'scaling' && isDone(run));
  if (runs.length === 0) return null;
  const families = unique(runs.map((run) => run.family));
  const times = new Chart('scaling', 'Time per step', { x: 'bodies', y: 'wall ms per step' }, looks);
  show(times, families.map((family) => ({
    solver: family,
    hasDots: true,
    points: runs.filter((run) => run.family === family).map((run) => ({
      x: run.bodies, y: Math.max(run.wall_ms!.median, kLeastTime),
      text: [`${run.bodies} bodies`, `${digits(run.wall_ms!.median)} ms per step`, `${digits(1e3 * run.wall_ms!.median / run.bodies)} µs per body`],
    })),
  })));
  const growth = data.growth.map(({ family, exponent }) => `${family} ${exponent.toFixed(2)}`).join(', ');
  return h('section', { id: 'scaling' },
    h('h2', {}, 'Growth with bodies and threads'),
    h('p', { class: 'note' }, `Piles of ever more grains. Fitted exponents of the time per step over the bodies: ${growth || 'one size only'}.`),
    h('div', { class: 'charts' }, times.element, speedUpChart(runs, looks)));
}

function speedUpChart(runs: BenchRun[], looks: Looks): HTMLElement | null {
  const alone = new Map(runs.filter((run) => run.engine === 'scree' && run.threads === 1).map((run) => [run.bodies, run.wall_ms!.median]));
  const many = runs.filter((run) => run.engine === 'scree' && run.threads > 1 && alone.has(run.bodies));
  if (many.length === 0) return null;
  const chart = new Chart('speed-up', 'Speed-up', { x: 'bodies', y: 'times faster than one thread' }, looks);
  const lines = unique(many.map((run) => run.family)).map((family): Line => ({
    solver: family,
    hasDots: true,
    points: many.filter((run) => run.family === family).map((run) => {
      const ratio = alone.get(run.bodies)! / run.wall_ms!.median;
      return { x: run.bodies, y: ratio, text: [`${run.bodies} bodies`, `${ratio.toFixed(2)} times faster`] };
    }),
  }));
  const ratios = lines.flatMap((line) => line.points.map((point) => point.y));
  const most = Math.max(...many.map((run) => run.threads), ...ratios);
  chart.show({ x: logAxis(...range([...alone.keys()])), y: linearAxis(0, most), lines, levels: [{ y: 1, text: 'no gain' }] });
  return chart.element;
}

/** Clocks have grains; a time of none has no ratio to others. */
const secondsOf = (run: SolveRun): number => Math.max(run.cpu_s, 1e-7);

/** Performance profile of one tolerance (Dolan and Moré 2002). */
export function profileChart(solves: SolveRun[], tolerance: number, looks: Looks): HTMLElement {
  const mine = solves.filter((run) => run.tolerance === tolerance);
  const problems = unique(mine.map((run) => run.problem));
  const best = new Map(problems.map((problem) =>
    [problem, Math.min(...mine.filter((run) => run.problem === problem && run.solved).map(secondsOf))]));
  let most = 2;
  const lines: Line[] = [];
  for (const method of unique(mine.map((run) => run.method))) {
    const ratios = mine.filter((run) => run.method === method && run.solved)
      .map((run) => secondsOf(run) / best.get(run.problem)!).sort((a, b) => a - b);
    if (ratios.length === 0) continue;
    const points: Point[] = ratios.map((ratio, index) => ({
      x: ratio, y: (index + 1) / problems.length,
      text: [`within ${digits(ratio)} × the fastest: ${index + 1} of ${problems.length} problems`],
    }));
    if (points[0].x > 1) points.unshift({ x: 1, y: 0, text: ['fastest on no problem'] });
    most = Math.max(most, points[points.length - 1].x);
    lines.push({ solver: method, points, isStep: true });
  }
  const chart = new Chart(`solve-${toleranceText(tolerance)}`, `To ${toleranceText(tolerance)}`,
    { x: 'CPU time over that of the fastest', y: 'share of problems solved' }, looks);
  chart.show({ x: logAxis(1, most), y: linearAxis(0, 1), lines });
  return chart.element;
}
