// What can be plotted, and from which numbers.
import type { App } from '../app';
import type { Series } from '../series';
import type { PlotColumn, PlotTable } from './plot_data';
import { toleranceOf } from './receipts';

export interface PlotKind {
  id: string;
  title: string;
  short?: string; // on its button
  unit: string;
  of: 'body' | 'step';
  isLog?: boolean;
  startsAtZero?: boolean;
  tip?: string;
  isAvailable?(app: App): boolean;
  /** Null: nothing to plot yet. */
  tables(app: App): PlotTable[] | null;
}

const kMostBodies = 4;
const kDashes = [[], [6, 3], [2, 2], [8, 3, 2, 3]];
const kAxes = ['x', 'y', 'z'];
const kAxisColors = ['--axis-x', '--axis-y', '--axis-z'];

/** Three components of each selected body; `take` makes a table of one track. */
function ofBodies(app: App, unit: string, take: (track: Series, component: number) => ArrayLike<number>): PlotTable[] | null {
  const bodies = app.selection.value.filter((body) => (app.tracks.get(body)?.count ?? 0) > 0).slice(-kMostBodies).reverse();
  if (!bodies.length) return null;
  return bodies.map((body, k) => {
    const track = app.tracks.get(body)!;
    const name = app.scene.value?.bodies[body]?.name || `body ${body}`;
    return {
      time: track.column('time'),
      columns: kAxes.map((axis, d) => ({ label: axis, body: name, unit, values: take(track, d), color: kAxisColors[d], dash: kDashes[k] })),
    };
  });
}

function bodyKind(id: string, title: string, unit: string, columns: string, tip: string, short = title): PlotKind {
  const names = columns.split(' ');
  return { id, title, short, unit, of: 'body', tip, tables: (app) => ofBodies(app, unit, (track, d) => track.column(names[d])) };
}

/** (v - v_before) / (t - t_before): exactly what a step added when rows are consecutive steps, else the mean between. */
function acceleration(app: App, track: Series, component: number): Float64Array {
  const time = track.column('time');
  const velocity = track.column(['vx', 'vy', 'vz'][component]);
  const step = app.scene.value?.hello.scene.step ?? 0;
  const result = new Float64Array(time.length).fill(NaN);
  let before = 0; // the last row of an earlier time; a state may be there twice, with more digits the second time
  for (let row = 1; row < time.length; ++row) {
    if (time[row] - time[row - 1] > 0.01 * step) before = row - 1;
    const between = time[row] - time[before];
    if (!(between > 0.01 * step)) continue;
    // Times are rounded sums of steps; the step itself has no such error.
    const h = Math.abs(between - step) < 1e-6 * step ? step : between;
    result[row] = (velocity[row] - velocity[before]) / h;
  }
  return result;
}

type StepColumn = Omit<PlotColumn, 'values' | 'unit'> & { from: string | ((app: App, row: (name: string) => Float64Array) => ArrayLike<number>) };

function stepKind(kind: Omit<PlotKind, 'tables' | 'of'>, columns: StepColumn[]): PlotKind {
  const tables = (app: App): PlotTable[] | null => {
    const { steps } = app;
    if (steps.count === 0) return null;
    const column = (name: string): Float64Array => steps.column(name);
    const filled = columns.map(({ from, ...rest }) => ({
      ...rest, unit: kind.unit, values: typeof from === 'string' ? column(from) : from(app, column),
    }));
    return [{ time: column('time'), columns: filled.filter(({ values }) => values.length === steps.count) }];
  };
  return { ...kind, of: 'step', tables };
}

const kSum = (_: App, row: (name: string) => Float64Array): Float64Array => {
  const potential = row('potential');
  return row('kinetic').map((kinetic, k) => kinetic + potential[k]);
};

/** The tolerance as it is now; what it was before is not recorded. */
const kTolerance = (app: App, row: (name: string) => Float64Array): Float64Array => {
  const tolerance = toleranceOf(app);
  return tolerance > 0 ? row('time').map(() => tolerance) : new Float64Array(0);
};

export const PLOT_KINDS: PlotKind[] = [
  bodyKind('position', 'Position', 'm', 'x y z', 'Of the body frame'),
  bodyKind('velocity', 'Velocity', 'm/s', 'vx vy vz', 'Of the centre of mass'),
  {
    id: 'acceleration', title: 'Acceleration', unit: 'm/s²', of: 'body',
    tip: 'Change of velocity over the time between rows: exactly (v⁺ − v)/h for consecutive steps',
    tables: (app) => ofBodies(app, 'm/s²', (track, d) => acceleration(app, track, d)),
  },
  bodyKind('spin', 'Angular velocity', 'rad/s', 'wx wy wz', 'Angular velocity, in world axes', 'Spin'),
  bodyKind('force', 'Contact force', 'N', 'fx fy fz', 'Sum of the contact forces on the body', 'Force'),
  stepKind({ id: 'energy', title: 'Energy', unit: 'J' }, [
    { label: 'kinetic', from: 'kinetic', color: '--series-1' },
    { label: 'potential', from: 'potential', color: '--series-2' },
    { label: 'total', from: kSum, color: '--series-3' },
  ]),
  stepKind({ id: 'residual', title: 'Residual', unit: '', isLog: true, tip: 'How far each step is from solving the contact law' }, [
    { label: 'residual', from: 'residual', color: '--series-1' },
    { label: 'worst contact', from: 'residual_worst', color: '--series-2' },
    { label: 'tolerance', from: kTolerance, color: '--good', dash: [5, 4] },
  ]),
  stepKind({ id: 'iterations', title: 'Iterations', unit: '', startsAtZero: true }, [{ label: 'iterations', from: 'iterations', color: '--series-1', isSteps: true }]),
  stepKind({ id: 'contacts', title: 'Contacts', unit: '', startsAtZero: true }, [{ label: 'contacts', from: 'contacts', color: '--series-3', isSteps: true }]),
  stepKind({ id: 'penetration', title: 'Penetration', unit: 'm', startsAtZero: true }, [{ label: 'deepest', from: 'penetration', color: '--series-2' }]),
  stepKind({ id: 'ms', title: 'Time per step', short: 'ms/step', unit: 'ms', startsAtZero: true }, [{ label: 'time per step', from: 'ms', color: '--series-4' }]),
  stepKind(
    { id: 'joint_error', title: 'Joint error', short: 'Joints', unit: 'm', startsAtZero: true, isAvailable: (app) => (app.scene.value?.joints.length ?? 0) > 0 },
    [{ label: 'largest', from: 'joint_error', color: '--series-2' }],
  ),
];
