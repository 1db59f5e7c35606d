// The pages of `scree compare --html` and of `scree bench --html`: everything they show is in the page itself.
import './report.css';
import { copyText, h } from '../ui/dom';
import { benchHeader, benchSections } from './bench';
import type { BenchData } from './bench_data';
import { convergenceCharts, profileCharts } from './charts';
import { readData, toleranceText } from './data';
import type { Data } from './data';
import { Looks } from './look';
import { proxHeader, proxSections } from './prox';
import type { ProxData } from './prox_data';
import { failureSection, familySection, summarySection, timesSection } from './tables';

function followTheme(): HTMLElement {
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = (isDark: boolean): void => void (root.dataset.theme = isDark ? 'dark' : 'light');
  system.addEventListener('change', () => apply(system.matches));
  apply(system.matches);
  return h('button', { class: 'quiet', id: 'theme', onclick: () => apply(root.dataset.theme !== 'dark') }, 'light / dark');
}

function header(data: Data, theme: HTMLElement): HTMLElement {
  const problems = data.problems - data.problems_left;
  const tolerances = data.tolerances.map(toleranceText).join(', ');
  const judge = data.judged_by === 'siconos' ? 'Siconos’s residual' : 'Scree’s residual (relative rms)';
  const links = [['summary', 'Summary'], ['profiles', 'Profiles'], ['convergence', 'Convergence'], ['families', 'Families'],
    ['failures', 'Failures'], ['times', 'All times'], ['made', 'How it was made']];
  return h('header', {},
    h('div', { class: 'row' }, h('h1', {}, 'Comparison of solvers'), h('span', { class: 'space' }), theme),
    h('p', {}, `${problems} problems, ${data.solvers.length} solvers, tolerance ${tolerances} on ${judge}, judged from outside the solvers; `
      + `law ${data.law || 'of each file'}; at most ${data.time_limit_s} s per solve.`
      + (data.solver_options ? ` Solver options: ${data.solver_options.join(', ')}.` : '')),
    data.complete ? null : h('p', { class: 'warning' }, `The comparison was interrupted: ${data.problems_left} of ${data.problems} problems are left and do not count.`),
    h('nav', {}, ...links.map(([id, text]) => h('a', { href: `#${id}` }, text))));
}

function timing(data: Data): [string, string][] {
  return [
    ['solves at a time', `${data.jobs}, each in a process of its own with one thread, tied to a core`],
    ['times', `CPU time from the data of the file to the impulses; solves shorter than 20 ms are repeated up to ${data.repeats} times, and the median counts`],
  ];
}

function made(data: Pick<Data, 'command' | 'machine'>, more: [string, string][]): HTMLElement {
  const copy = h('button', { class: 'quiet', onclick: async () => {
    copy.textContent = (await copyText(data.command)) ? 'copied' : 'not copied';
  } }, 'copy');
  const names: Record<string, string> = { memory_GB: 'memory, GB' };
  const facts: [string, string][] = [
    ...Object.entries(data.machine).map(([name, value]): [string, string] => [names[name] ?? name, String(value)]),
    ...more,
  ];
  return h('section', { id: 'made' },
    h('h2', {}, 'How it was made'),
    h('div', { class: 'command' }, h('code', {}, data.command), copy),
    h('dl', {}, ...facts.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])));
}

// In the page before they are filled: charts ask how wide they are.
function showComparison(data: Data, report: HTMLElement): void {
  const looks = new Looks(data.solvers);
  report.append(header(data, followTheme()));
  report.append(summarySection(data, looks));
  report.append(profileCharts(data, looks));
  report.append(convergenceCharts(data, looks));
  report.append(familySection(data, looks));
  report.append(failureSection(data, looks));
  report.append(timesSection(data));
  report.append(made(data, timing(data)));
}

function showProx(data: ProxData, report: HTMLElement): void {
  document.title = 'Scree: proximal points against pivoting';
  report.append(proxHeader(data, followTheme()), ...proxSections(data));
  report.append(made(data, [['times', 'CPU time of the steps, collision detection included, in one thread'], ['took', `${Math.round(data.wall_s)} s`]]));
}

function showBench(data: BenchData, report: HTMLElement): void {
  document.title = 'Scree: benchmarks';
  report.append(benchHeader(data, followTheme()), ...benchSections(data));
  report.append(made(data, [
    ['times', 'CPU time of the steps in a process of its own, tied to one core where it has one thread, after ten steps on a copy that is thrown away'],
    ['repeats', `${data.repeats}, in turn: A B C A B C`], ['took', `${Math.round(data.wall_s)} s`]]));
}

const data = readData();
const report = document.getElementById('report')!;
if ('benchmark' in data && data.benchmark === 'scenes') showBench(data, report);
else if ('benchmark' in data) showProx(data, report);
else showComparison(data, report);
document.documentElement.dataset.ready = 'yes';
