// One plot: uPlot with a line at the time shown, values in its head, and a drag that seeks.
import uPlot from 'uplot';
import type { App } from '../app';
import { h, Pace, setShown, setText } from './dom';
import { formatNumber } from './format';
import { drawable, joinTables, rowsWithin, thinRows } from './plot_data';
import type { PlotTable } from './plot_data';
import type { PlotKind } from './plot_kinds';
import { themeColor } from './theme';

const kMostPoints = 5000;
const kSync = 'scree';
const kLogSpace = 16; // px between powers of ten

export class Plot {
  readonly element: HTMLElement;
  private readonly head = h('div', { class: 'plot-head' });
  private readonly box = h('div', { class: 'plot-box' });
  private readonly empty = h('div', { class: 'empty' });
  private readonly line = h('div', { class: 'time-line' });
  private chart: uPlot | null = null;
  private shape = ''; // what the chart was made for
  private table: PlotTable | null = null;
  private values: HTMLElement[] = [];
  private range: [number, number] = [0, 1];
  private lineAt = NaN;
  private readonly pace = new Pace(66); // of the numbers in the head
  private size = { width: 300, height: 120 };

  constructor(readonly kind: PlotKind, private readonly app: App) {
    this.element = h('figure', { class: 'plot', 'data-plot': kind.id }, this.head, this.box, this.empty);
  }

  /** All rows of what is shown. */
  get shownTable(): PlotTable | null {
    return this.table;
  }

  get canvas(): HTMLCanvasElement | null {
    return this.chart?.ctx.canvas ?? null;
  }

  get legend(): LegendEntry[] {
    return this.table ? legendOf(this.table) : [];
  }

  destroy(): void {
    this.chart?.destroy();
    this.chart = null;
    this.shape = '';
    this.element.remove();
  }

  /** The colours changed. */
  forgetChart(): void {
    this.chart?.destroy();
    this.chart = null;
    this.shape = '';
  }

  resize(width: number, height: number): void {
    this.size = { width, height: Math.max(60, height - 22) }; // without the head
    if (this.chart && (this.chart.width !== this.size.width || this.chart.height !== this.size.height)) {
      this.chart.setSize(this.size);
      this.lineAt = NaN;
    }
  }

  /** Draws the rows between `from` and `to`, s. */
  draw(from: number, to: number): void {
    const tables = this.kind.tables(this.app);
    this.table = tables && joinTables(tables);
    const isEmpty = this.table === null;
    setShown(this.empty, isEmpty);
    setShown(this.box, !isEmpty);
    if (!this.table) {
      setText(this.empty, this.whyEmpty());
      this.head.replaceChildren(this.title());
      this.forgetChart();
      return;
    }
    this.range = [from, Math.max(to, from + 1e-6)];
    const [begin, end] = rowsWithin(this.table.time, from, to);
    const rows = thinRows(this.table, begin, end, kMostPoints);
    const data = drawable(this.table, rows, this.kind.isLog ?? false) as uPlot.AlignedData;
    const shape = this.table.columns.map(({ label, dash }) => `${label}${dash?.join()}`).join('\n');
    if (!this.chart || shape !== this.shape) this.make(this.table, data, shape);
    else this.chart.setData(data);
    this.lineAt = NaN;
  }

  /** The line at the time shown, and the numbers there or under the pointer. */
  showTime(time: number): void {
    const { chart, table } = this;
    if (!chart || !table) return;
    const x = chart.valToPos(time, 'x');
    if (x !== this.lineAt) {
      this.lineAt = x;
      const isInside = x >= 0 && x <= chart.bbox.width / devicePixelRatio;
      setShown(this.line, isInside);
      if (isInside) this.line.style.transform = `translateX(${Math.round(x)}px)`;
    }
    if (!this.pace.isDue()) return;
    const hovered = chart.cursor.left !== undefined && chart.cursor.left >= 0 ? chart.posToVal(chart.cursor.left, 'x') : time;
    const row = Math.max(0, rowsWithin(table.time, hovered + 1e-9, Infinity)[0]);
    table.columns.forEach(({ values }, k) => setText(this.values[k], formatNumber(values[row] ?? NaN, 4)));
  }

  private whyEmpty(): string {
    const { app, kind } = this;
    if (kind.of === 'step') return 'No steps yet.';
    const body = app.selection.value.at(-1);
    if (body === undefined) return 'Select a body to plot its motion.';
    return app.scene.value?.bodies[body]?.motion === 'fixed' ? 'A fixed body does not move.' : 'Waiting for its numbers.';
  }

  private title(): HTMLElement {
    const { title, unit, tip } = this.kind;
    return h('span', { class: 'plot-title', 'data-tip': tip }, title, unit ? h('span', { class: 'unit' }, unit) : null);
  }

  private make(table: PlotTable, data: uPlot.AlignedData, shape: string): void {
    this.forgetChart();
    this.shape = shape;
    this.values = table.columns.map(() => h('b', {}));
    this.head.replaceChildren(this.title(), ...this.entries(table));
    this.chart = new uPlot(this.options(table), data, this.box);
    this.chart.over.append(this.line);
    this.listen(this.chart);
  }

  private entries(table: PlotTable): HTMLElement[] {
    return legendOf(table).map(({ label, color, isDashed, column }) => {
      const mark = color ? h('i', { class: isDashed ? 'mark dashed' : 'mark' }) : null;
      if (mark) mark.style.color = color;
      return h('span', { class: 'entry' }, mark, label, column === undefined ? null : this.values[column]);
    });
  }

  private options(table: PlotTable): uPlot.Options {
    const text = themeColor('--muted');
    const grid = { stroke: themeColor('--plot-grid'), width: 1 };
    const font = '10px system-ui, sans-serif';
    const isLog = this.kind.isLog ?? false;
    const filter = isLog ? { filter: onlyDecades } : {}; // a key without a value would switch uPlot's own off
    const { startsAtZero } = this.kind;
    return {
      ...this.size,
      legend: { show: false },
      padding: [6, 8, 0, 0],
      cursor: { drag: { x: false, y: false }, y: false, points: { show: false }, sync: { key: kSync, scales: ['x', null] } },
      scales: {
        x: { time: false, range: () => this.range },
        y: isLog ? { distr: 3, range: (_, lower, upper) => decades(lower, upper) }
          : { range: (_, lower, upper) => roomy(lower, upper, startsAtZero ?? false) },
      },
      axes: [
        { stroke: text, grid, ticks: { show: false }, font, size: 22, gap: 4, space: 60 },
        {
          stroke: text, grid: { ...grid, ...filter }, ticks: { show: false }, font, size: 48, gap: 4,
          space: isLog ? kLogSpace : 22, ...filter,
          values: (_, splits) => splits.map((value) => (value === null ? '' : axisText(value))),
        },
      ],
      series: [
        {},
        ...table.columns.map((column) => ({
          stroke: themeColor(column.color), width: 1.25, dash: column.dash, points: { show: false },
          paths: column.isSteps ? uPlot.paths.stepped!({ align: 1 }) : undefined,
        })),
      ],
    };
  }

  private listen(chart: uPlot): void {
    const { over } = chart;
    const seek = (event: PointerEvent): void => {
      this.app.player.seekTime(chart.posToVal(event.clientX - over.getBoundingClientRect().left, 'x'));
    };
    over.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      over.setPointerCapture(event.pointerId);
      seek(event);
    });
    over.addEventListener('pointermove', (event) => {
      if (over.hasPointerCapture(event.pointerId)) seek(event);
    });
  }
}

export interface LegendEntry {
  label: string;
  color: string; // empty: a word without a line
  isDashed: boolean;
  column?: number; // whose number stands beside it
}

/** A colour, a name and a number for each line; of further bodies the name only, there is no more room. */
function legendOf({ columns }: PlotTable): LegendEntry[] {
  if (columns.length === 0) return [];
  const first = columns[0].body;
  const isMany = columns.some(({ body }) => body !== first);
  const entries: LegendEntry[] = isMany && first ? [{ label: first, color: '', isDashed: false }] : [];
  columns.forEach(({ label, color, dash, body }, column) => {
    const isDashed = (dash?.length ?? 0) > 0;
    // A single line is what the title says.
    if (body === first) entries.push({ label: columns.length > 1 ? label : '', color: themeColor(color), isDashed, column });
    else if (columns[column - 1].body !== body) entries.push({ label: body!, color: themeColor('--muted'), isDashed });
  });
  return entries;
}

/** Whole powers of ten around the values, at least two apart. */
function decades(lower: number | null, upper: number | null): uPlot.Range.MinMax {
  if (lower === null || upper === null || !(lower > 0)) return [1e-8, 1];
  const low = Math.floor(Math.log10(lower) + 1e-9);
  const high = Math.max(low + 1, Math.ceil(Math.log10(upper) - 1e-9));
  return [10 ** low, 10 ** high];
}

/** A little more than the values need. What does not change lies in the middle, not across the whole height as noise. */
function roomy(lower: number | null, upper: number | null, startsAtZero: boolean): uPlot.Range.MinMax {
  if (lower === null || upper === null) return [0, 1];
  const low = startsAtZero ? Math.min(0, lower) : lower;
  const size = Math.max(Math.abs(low), Math.abs(upper));
  const room = Math.max(0.08 * (upper - low), 1e-9 * size, size === 0 ? 1 : 0);
  return [startsAtZero && low === 0 ? 0 : low - room, upper + room];
}

/** Powers of ten, or as many of them as there is room for. Lines between them say little and are many. */
function onlyDecades({ scales, bbox }: uPlot, splits: number[]): (number | null)[] {
  const height = bbox.height / devicePixelRatio;
  const every = Math.ceil((kLogSpace * Math.log10(scales.y.max! / scales.y.min!)) / height);
  const isShown = (exponent: number): boolean =>
    Math.abs(exponent - Math.round(exponent)) < 1e-6 && Math.round(exponent) % every === 0;
  return splits.map((value) => (isShown(Math.log10(value)) ? value : null));
}

function axisText(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  const text = size >= 1e5 || size < 1e-3 ? Number(value.toPrecision(6)).toExponential() : String(Number(value.toPrecision(6)));
  return text.replace('e+', 'e').replace(/^-/, '−');
}
