// The page of `scree bench --html`.
import { h } from '../ui/dom';
import { profileChart, scalingSection, workPrecisionCharts } from './bench_charts';
import { isDone, kPartNotes, kPartTitles } from './bench_data';
import type { BenchData, BenchRun, SolveRun, Times } from './bench_data';
import { digits, timeText, toleranceText, unique } from './data';
import { Looks } from './look';
import { solverName, table } from './widgets';
import type { Column } from './widgets';

const scenesOf = (data: BenchData): string[] => unique(data.runs.map((run) => run.part)).filter((part) => part !== 'scaling');

export function benchHeader(data: BenchData, theme: HTMLElement): HTMLElement {
  const links: [string, string][] = scenesOf(data).map((part) => [part, kPartTitles[part] ?? part]);
  if (data.runs.some((run) => run.part === 'scaling')) links.push(['scaling', kPartTitles.scaling]);
  if (data.solves.length > 0) links.push(['solve', 'Single problems']);
  links.push(['made', 'How it was made']);
  return h('header', {},
    h('div', { class: 'row' }, h('h1', {}, 'Benchmarks'), h('span', { class: 'space' }), theme),
    h('p', {},
      `The same scenes for every engine, each run in a process of its own${data.repeats > 1 ? `, ${data.repeats} times in turn` : ''}. Overlap, `,
      'motion and joints are measured from the poses of the bodies by one piece of code for all. The residual is Scree’s own judge of ',
      'each step; the other engines do not say how right they are. In the charts, left is faster and low is more accurate; a line is one ',
      'engine as its accuracy is turned up.', data.quick ? ' This is the quick form: few sizes, few repeats.' : ''),
    ...data.absent.map((sentence) => h('p', { class: 'note' }, sentence)),
    data.complete ? null : h('p', { class: 'warning' }, 'The benchmark was interrupted: some of it is missing.'),
    h('nav', {}, ...links.map(([id, text]) => h('a', { href: `#${id}` }, text))));
}

const spread = (times?: Times): string =>
  times === undefined ? '–' : times.lowest === times.highest ? digits(times.median)
    : `${digits(times.median)} (${digits(times.lowest)}–${digits(times.highest)})`;
const millimetres = (value?: number | null): string => (value === null || value === undefined ? '–' : digits(1e3 * value));

function accelerationError(run: BenchRun): string {
  if (run.acceleration === null || run.acceleration === undefined) return '–';
  const off = Math.abs(run.acceleration - run.exact_acceleration!);
  return run.exact_acceleration! > 0 ? `${digits(off / run.exact_acceleration!)} relative` : `${digits(off)} m/s²`;
}

function columnsOf(part: string, looks: Looks): Column<BenchRun>[] {
  const metric: Record<string, Column<BenchRun>> = {
    overlap: { head: 'overlap, mm', help: 'the deepest of any two bodies in the run', cell: (run) => millimetres(run.penetration_m), order: (run) => run.penetration_m ?? 0 },
    end: { head: 'at the end', help: 'deepest overlap at the end, mm', cell: (run) => millimetres(run.penetration_end_m), order: (run) => run.penetration_end_m ?? 0 },
    moved: { head: 'moved, mm', help: 'the farthest a body is from where it started', cell: (run) => millimetres(run.displacement_m), order: (run) => run.displacement_m ?? 0 },
    speed: { head: 'speed, mm/s', help: 'of the fastest body at the end', cell: (run) => millimetres(run.speed_end), order: (run) => run.speed_end ?? 0 },
    slowest: { head: 'slowest', help: 'CPU ms of the slowest step', cell: (run) => digits(run.cpu_max_ms ?? null), order: (run) => run.cpu_max_ms ?? 0 },
    displaced: { head: 'displaced', help: 'bodies more than 0.2 m from where they started', cell: (run) => String(run.displaced ?? '–'), order: (run) => run.displaced ?? 0 },
    kinetic: { head: 'kinetic, mJ', help: 'energy per body at the end', cell: (run) => millimetres(run.kinetic_per_body_J), order: (run) => run.kinetic_per_body_J ?? 0 },
    escaped: { head: 'escaped', help: 'bodies inside walls or beyond them', cell: (run) => String(run.escaped ?? '–'), order: (run) => run.escaped ?? 0 },
    acceleration: { head: 'acceleration off by', cell: accelerationError },
    apart: { head: 'apart, mm', help: 'the widest joint', cell: (run) => millimetres(run.joint_separation_m), order: (run) => run.joint_separation_m ?? 0 },
    energy: { head: 'energy off by', help: 'largest change of the energy, relative to that of the chain lowered', cell: (run) => digits(run.energy_error ?? null), order: (run) => run.energy_error ?? 0 },
  };
  const chosen: Record<string, string[]> = {
    wall: ['slowest', 'overlap', 'end', 'displaced'], standing: ['moved', 'speed', 'overlap'], pile: ['overlap', 'end', 'kinetic', 'escaped'],
    hexagons: ['overlap', 'end', 'kinetic', 'escaped'], incline: ['moved', 'acceleration', 'overlap'], chain: ['apart', 'energy'],
  };
  return [
    { head: 'engine', isText: true, cell: (run) => solverName(run.family, looks), order: (run) => run.family },
    { head: 'setting', isText: true, cell: (run) => run.knob },
    { head: 'ms per step', help: 'CPU time: median of the repeats, in brackets the lowest and the highest', cell: (run) => h('b', {}, spread(run.cpu_ms)), order: (run) => run.cpu_ms?.median ?? Infinity },
    ...(chosen[part] ?? []).map((name) => metric[name]),
    { head: 'residual', help: 'of the worst step, by Scree’s judge', cell: (run) => digits(run.residual_max ?? null), order: (run) => run.residual_max ?? Infinity },
    { head: 'steps met', help: 'steps whose residual met the tolerance', cell: (run) => (run.converged_steps === null || run.converged_steps === undefined ? '–' : `${run.converged_steps} of ${run.steps}`) },
  ];
}

function sceneSection(data: BenchData, part: string, looks: Looks): HTMLElement {
  const runs = data.runs.filter((run) => run.part === part);
  const blocks = unique(runs.map((run) => run.scene)).flatMap((scene) => {
    const mine = runs.filter((run) => run.scene === scene);
    const failed = mine.filter((run) => !isDone(run));
    const [{ bodies, steps, step }] = mine;
    return [
      h('h3', {}, `${scene}: ${bodies} ${bodies === 1 ? 'body' : 'bodies'}, ${steps} steps of ${digits(step)} s`),
      table(columnsOf(part, looks), mine.filter(isDone), { 'data-table': part }),
      ...failed.map((run) => h('p', { class: 'bad' }, `${run.method}: ${run.failure}`)),
      h('div', { class: 'charts' }, ...workPrecisionCharts(part, scene, mine, looks)),
    ];
  });
  return h('section', { id: part }, h('h2', {}, kPartTitles[part] ?? part), h('p', { class: 'note' }, kPartNotes[part] ?? ''), ...blocks);
}

function solveSection(data: BenchData): HTMLElement | null {
  if (data.solves.length === 0) return null;
  const methods = unique(data.solves.map((run) => run.method));
  const looks = new Looks(methods);
  const tolerances = unique(data.solves.map((run) => run.tolerance));
  const rows = unique(data.solves.map((run) => run.problem)).flatMap((problem) =>
    tolerances.map((tolerance) => data.solves.filter((run) => run.problem === problem && run.tolerance === tolerance)));
  const cell = (runs: SolveRun[], method: string): HTMLElement | string => {
    const run = runs.find((one) => one.method === method);
    if (!run) return '–';
    return run.solved ? timeText(run.cpu_s) : h('span', { class: 'bad' }, run.note.replace('_', ' '));
  };
  const columns: Column<SolveRun[]>[] = [
    { head: 'problem', isText: true, cell: ([run]) => run.problem, order: ([run]) => run.problem },
    { head: 'contacts', cell: ([run]) => String(run.contacts), order: ([run]) => run.contacts },
    { head: 'to', cell: ([run]) => toleranceText(run.tolerance), order: ([run]) => run.tolerance },
    ...methods.map((method): Column<SolveRun[]> => ({ head: method, cell: (runs) => cell(runs, method) })),
  ];
  return h('section', { id: 'solve' },
    h('h2', {}, 'Single problems'),
    h('p', { class: 'note' }, 'Friction problems of Scree’s own scenes, from zero, to a residual by Siconos’s definition that Scree’s judge computes for all. ',
      'CPU time from the Delassus matrix to the impulses. The charts: share of the problems solved within a multiple of the time of the fastest (Dolan and Moré 2002).'),
    h('div', { class: 'charts' }, ...tolerances.map((tolerance) => profileChart(data.solves, tolerance, looks))),
    table(columns, rows.filter((runs) => runs.length > 0), { 'data-table': 'solve' }));
}

export function benchSections(data: BenchData): HTMLElement[] {
  const looks = new Looks(unique(data.runs.filter((run) => run.part !== 'scaling').map((run) => run.family)));
  const scaling = new Looks(unique(data.runs.filter((run) => run.part === 'scaling').map((run) => run.family)));
  const all = [...scenesOf(data).map((part) => sceneSection(data, part, looks)), scalingSection(data, scaling), solveSection(data)];
  return all.filter((section): section is HTMLElement => section !== null);
}
