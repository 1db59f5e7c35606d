// The tables of the report: summary, families, failures, times of everything.
import { h } from '../ui/dom';
import { digits, doesApply, isSolved, statisticsOf, timeText, toleranceText, unique } from './data';
import type { Data, Result, Summary } from './data';
import type { Looks } from './look';
import { choice, solverName, table } from './widgets';
import type { Column } from './widgets';

const byMerit = (a: Summary, b: Summary): number =>
  b.solved - a.solved || (a.mean_ratio ?? Infinity) - (b.mean_ratio ?? Infinity);

export function summarySection(data: Data, looks: Looks): HTMLElement {
  const columns: Column<Summary>[] = [
    { head: 'solver', isText: true, cell: (row) => solverName(row.solver, looks), order: (row) => row.solver },
    { head: 'solved', cell: (row) => h('b', {}, String(row.solved)), order: (row) => -row.solved },
    { head: 'failed', cell: (row) => String(row.failed), order: (row) => -row.failed },
    { head: 'n/a', help: 'the method does not apply: law, size or kind of problem', cell: (row) => String(row.not_applicable), order: (row) => -row.not_applicable },
    { head: 'wins', help: 'problems on which it was the fastest', cell: (row) => String(row.wins), order: (row) => -row.wins },
    { head: 'ratio', help: 'geometric mean of its CPU time over that of the fastest solver, over the problems it solved', cell: (row) => digits(row.mean_ratio), order: (row) => row.mean_ratio ?? Infinity },
    { head: 'median CPU', help: 'over the problems it solved', cell: (row) => timeText(row.median_cpu_s), order: (row) => row.median_cpu_s ?? Infinity },
  ];
  const parts = data.tolerances.map((tolerance) => {
    const rows = [...(statisticsOf(data, tolerance)?.solvers ?? [])].sort(byMerit);
    return h('div', {},
      h('h3', {}, `Tolerance ${toleranceText(tolerance)}, ${rows[0]?.problems ?? 0} problems`),
      table(columns, rows, { 'data-table': 'summary' }));
  });
  return h('section', { id: 'summary' },
    h('h2', {}, 'Summary'),
    h('p', { class: 'note' }, 'Ratio: geometric mean of the CPU time over that of the fastest solver for each problem, over the problems solved. Wins: where it was the fastest.'),
    h('div', { class: 'row' },
      h('button', { class: 'quiet', onclick: () => looks.showAll(true) }, 'all solvers in the charts'),
      h('button', { class: 'quiet', onclick: () => looks.showAll(false) }, 'none')),
    h('div', { class: 'tables' }, ...parts));
}

/** Solvers down, families across: solved of those it applies to, and the ratio to the best. */
export function familySection(data: Data, looks: Looks): HTMLElement {
  const place = h('div');
  const families = unique(data.statistics.map((entry) => entry.family));
  const draw = (tolerance: number): void => {
    const entries = families.map((family) => statisticsOf(data, tolerance, family)!);
    const cell = (solver: string, index: number): HTMLElement => familyCell(entries[index].solvers.find((row) => row.solver === solver)!);
    const columns: Column<string>[] = [
      { head: 'solver', isText: true, cell: (solver) => solverName(solver, looks) },
      ...families.map((family, index) => ({
        head: `${family || 'all'} (${entries[index].solvers[0]?.problems ?? 0})`,
        cell: (solver: string) => cell(solver, index),
      })),
    ];
    const order = [...entries[0].solvers].sort(byMerit).map((row) => row.solver);
    place.replaceChildren(table(columns, order, { 'data-table': 'families', class: 'heat' }));
  };
  const select = choice('tolerance', data.tolerances.map((value) => [String(value), toleranceText(value)]), (value) => draw(Number(value)));
  draw(data.tolerances[0]);
  return h('section', { id: 'families' },
    h('h2', {}, 'By family'),
    h('p', { class: 'note' }, 'Solved of those the method applies to; below, the geometric mean of its CPU time over that of the fastest solver.'),
    data.tolerances.length > 1 ? select : null,
    place);
}

function familyCell(row: Summary): HTMLElement {
  const asked = row.solved + row.failed;
  if (asked === 0) return h('div', { class: 'family none' }, '–');
  const cell = h('div', { class: 'family' }, h('b', {}, `${row.solved}/${asked}`), h('small', {}, row.mean_ratio === null ? ' ' : `${digits(row.mean_ratio)} ×`));
  cell.style.setProperty('--share', String(row.solved / asked));
  return cell;
}

export function failureSection(data: Data, looks: Looks): HTMLElement {
  const failures = data.results.filter((result) => doesApply(result) && !isSolved(result));
  const columns: Column<Result>[] = [
    { head: 'problem', isText: true, cell: (row) => h('span', { title: row.problem }, row.name), order: (row) => row.name },
    { head: 'solver', isText: true, cell: (row) => solverName(row.solver, looks), order: (row) => row.solver },
    { head: 'tolerance', cell: (row) => toleranceText(row.tolerance), order: (row) => -row.tolerance },
    { head: 'status', isText: true, cell: (row) => row.status.replace('_', ' '), order: (row) => row.status },
    { head: 'residual', cell: (row) => digits(row.residual_judged), order: (row) => row.residual_judged ?? Infinity },
    { head: 'iterations', cell: (row) => String(row.iterations), order: (row) => row.iterations },
    { head: 'CPU time', cell: (row) => timeText(row.cpu_s), order: (row) => row.cpu_s },
    { head: 'reason', isText: true, cell: (row) => row.message || usualReason(row), order: (row) => row.message },
  ];
  return h('section', { id: 'failures' },
    h('h2', {}, 'Failures'),
    failures.length === 0 ? h('p', {}, 'None: every solver solved every problem that it applies to.')
      : h('details', { open: failures.length <= 60 }, h('summary', {}, `${failures.length} of ${data.results.length} solves`),
          table(columns, failures, { 'data-table': 'failures' })),
    notApplicable(data),
    data.skipped.length === 0 ? null
      : h('details', {}, h('summary', {}, `${data.skipped.length} files that could not be read`),
          h('ul', {}, ...data.skipped.map(({ message }) => h('li', {}, message)))));
}

function usualReason(result: Result): string {
  switch (result.status) {
    case 'iteration_limit': return 'used up its iterations';
    case 'time_limit': return 'used up its time';
    case 'stalled': return 'made no more progress';
    case 'diverged': return 'its iterates grew without bound';
    case 'infeasible': return 'found that there is no solution, or none it can reach';
    default: return '';
  }
}

function notApplicable(data: Data): HTMLElement | null {
  const reasons = new Map<string, { solver: string; message: string; problems: Set<string> }>();
  for (const { solver, message, name, status } of data.results) {
    if (status !== 'not_applicable') continue;
    const key = `${solver}\n${message}`;
    if (!reasons.has(key)) reasons.set(key, { solver, message, problems: new Set() });
    reasons.get(key)!.problems.add(name);
  }
  if (reasons.size === 0) return null;
  const rows = [...reasons.values()];
  return h('details', {},
    h('summary', {}, 'Where methods do not apply, and why'),
    table([
      { head: 'solver', isText: true, cell: (row) => row.solver, order: (row) => row.solver },
      { head: 'problems', cell: (row) => h('span', { title: [...row.problems].join(', ') }, String(row.problems.size)), order: (row) => -row.problems.size },
      { head: 'reason', isText: true, cell: (row) => row.message },
    ], rows, { 'data-table': 'not-applicable' }));
}

/** Problems down, solvers across: CPU times, the best in bold. */
export function timesSection(data: Data): HTMLElement {
  const place = h('div');
  const draw = (tolerance: number): void => {
    const results = new Map(data.results.filter((one) => one.tolerance === tolerance).map((one) => [`${one.problem}\n${one.solver}`, one]));
    const problems = unique([...results.values()].map((one) => one.problem));
    const of = (problem: string, solver: string): Result | undefined => results.get(`${problem}\n${solver}`);
    const best = new Map(problems.map((problem) => {
      const times = data.solvers.map((solver) => of(problem, solver)).filter((one) => one && isSolved(one)).map((one) => one!.cpu_s);
      return [problem, Math.min(...times)];
    }));
    const any = (problem: string): Result => data.solvers.map((solver) => of(problem, solver)).find((one) => one)!;
    const columns: Column<string>[] = [
      { head: 'problem', isText: true, cell: (problem) => h('span', { title: problem }, any(problem).name), order: (problem) => any(problem).name },
      { head: 'unknowns', cell: (problem) => String(any(problem).unknowns), order: (problem) => any(problem).unknowns },
      ...data.solvers.map((solver) => ({
        head: solver,
        cell: (problem: string) => timeCell(of(problem, solver), best.get(problem)!),
        order: (problem: string) => {
          const one = of(problem, solver);
          return one && isSolved(one) ? one.cpu_s : Infinity;
        },
      })),
    ];
    place.replaceChildren(table(columns, problems, { 'data-table': 'times' }));
  };
  const select = choice('tolerance', data.tolerances.map((value) => [String(value), toleranceText(value)]), (value) => draw(Number(value)));
  draw(data.tolerances[0]);
  return h('section', { id: 'times' },
    h('h2', {}, 'All times'),
    h('details', {}, h('summary', {}, 'CPU time of every solver on every problem'), data.tolerances.length > 1 ? select : null, place));
}

function timeCell(result: Result | undefined, best: number): HTMLElement {
  if (!result) return h('span', { class: 'muted' }, '');
  if (!doesApply(result)) return h('span', { class: 'muted', title: result.message }, 'n/a');
  const title = `${result.status}, residual ${digits(result.residual_judged)}, ${result.iterations} iterations${result.message ? `: ${result.message}` : ''}`;
  if (!isSolved(result)) return h('span', { class: 'bad', title }, result.status.replace('_', ' '));
  return h(result.cpu_s <= best ? 'b' : 'span', { title }, timeText(result.cpu_s));
}
