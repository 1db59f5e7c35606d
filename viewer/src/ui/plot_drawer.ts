// The drawer of plots: which are shown, how high it is, and saving them.
import type { App } from '../app';
import type { Commands } from './commands';
import { download, h, Pace, setAttribute, setShown } from './dom';
import { icon } from './icons';
import { recall, remember } from './memory';
import { Plot } from './plot';
import { joinTables, toCsv } from './plot_data';
import { PLOT_KINDS } from './plot_kinds';
import { plotsPicture } from './plot_picture';
import { shownTheme } from './theme';
import type { UiState } from './ui_state';
import { closeButton, fillSelect } from './widgets';

interface Kept {
  kinds: string[];
  height: number;
  window: number;
}

const kWindows = [0, 60, 10, 2]; // s; 0: all
const kFastest = 100; // ms between drawings
const kShare = 12; // drawing takes at most this fraction of the time,
const kSlowest = 1000; // ms, but it does not stand still
const kLowest = 120; // px
const kPlotWidth = 300;
const kPlotHeight = 100;

/** The picture keeps most of the page. */
function defaultHeight(): number {
  return Math.round(Math.min(236, Math.max(kLowest + 40, 0.25 * innerHeight)));
}

export class PlotDrawer {
  readonly element: HTMLElement;
  private readonly grid = h('div', { class: 'plots' });
  private readonly chips = new Map<string, HTMLButtonElement>();
  private readonly empty = h('div', { class: 'empty' }, 'Choose above what to plot.');
  private readonly window = h('select', { 'aria-label': 'Time shown', 'data-tip': 'How much time is shown' });
  private plots: Plot[] = [];
  private kept: Kept = { kinds: innerWidth < 1600 ? ['position', 'residual'] : ['position', 'velocity', 'energy', 'residual'], height: defaultHeight(), window: 0 };
  private readonly pace = new Pace(kFastest);
  private isDirty = true;

  constructor(private readonly app: App, private readonly commands: Commands, private readonly ui: UiState) {
    const before = recall<Kept>('plots');
    if (Array.isArray(before.kinds)) this.kept.kinds = before.kinds.filter((id) => PLOT_KINDS.some((kind) => kind.id === id));
    if (Number(before.height) >= kLowest) this.kept.height = Number(before.height);
    if (kWindows.includes(before.window ?? -1)) this.kept.window = before.window!;
    fillSelect(this.window, kWindows.map(String), kWindows.map((seconds) => (seconds ? `last ${seconds} s` : 'all')));
    this.window.value = String(this.kept.window);
    this.window.addEventListener('change', () => {
      this.kept.window = Number(this.window.value);
      this.keep();
    });
    this.element = h('section', { class: 'panel drawer', 'aria-label': 'Plots' }, this.handle(), this.header(), this.grid, this.empty);
    this.element.style.height = `${this.kept.height}px`;
    new ResizeObserver(() => this.arrange()).observe(this.grid);
    const dirty = (): void => void (this.isDirty = true);
    for (const event of [app.steps.changed, app.trackChanged, app.timeline.changed]) (event as typeof app.steps.changed).watch(dirty);
    app.selection.watch(dirty);
    app.status.watch((now, then) => {
      if (now?.settings.tolerance !== then?.settings.tolerance) dirty();
    });
    shownTheme.watch(() => {
      for (const plot of this.plots) plot.forgetChart();
      dirty();
    });
    app.scene.bind(() => this.choose());
    ui.plots.watch(dirty);
  }

  update(): void {
    if (!this.ui.plots.value || this.ui.isBare.value) return;
    if (this.isDirty && this.pace.isDue()) this.draw();
    const time = this.app.timeline.times[this.app.player.cursor.value];
    if (time !== undefined) for (const plot of this.plots) plot.showTime(time);
  }

  private draw(): void {
    this.isDirty = false;
    const begin = performance.now();
    const { times } = this.app.timeline;
    const last = Math.max(times.at(-1) ?? 0, 0);
    const first = this.kept.window > 0 ? Math.max(times[0] ?? 0, last - this.kept.window) : (times[0] ?? 0);
    for (const plot of this.plots) plot.draw(first, last);
    // uPlot draws in a microtask that is queued by now.
    queueMicrotask(() => {
      this.pace.interval = Math.min(kSlowest, Math.max(kFastest, kShare * (performance.now() - begin)));
    });
  }

  /** Makes the plots that are chosen and possible in this scene. */
  private choose(): void {
    const possible = PLOT_KINDS.filter((kind) => kind.isAvailable?.(this.app) ?? true);
    const wanted = possible.filter((kind) => this.kept.kinds.includes(kind.id));
    const old = new Map(this.plots.map((plot) => [plot.kind, plot]));
    this.plots = wanted.map((kind) => old.get(kind) ?? new Plot(kind, this.app));
    for (const [kind, plot] of old) if (!wanted.includes(kind)) plot.destroy();
    this.grid.replaceChildren(...this.plots.map((plot) => plot.element));
    setShown(this.empty, this.plots.length === 0);
    setShown(this.grid, this.plots.length > 0);
    for (const kind of PLOT_KINDS) {
      const chip = this.chips.get(kind.id)!;
      setShown(chip, possible.includes(kind));
      setAttribute(chip, 'aria-pressed', String(wanted.includes(kind)));
    }
    this.arrange();
    this.isDirty = true;
  }

  private arrange(): void {
    const count = this.plots.length;
    const width = this.grid.clientWidth - 16;
    if (count === 0 || width <= 0) return;
    const fitting = Math.max(1, Math.floor((width + 12) / (kPlotWidth + 12)));
    const rows = Math.ceil(count / fitting);
    const columns = Math.ceil(count / rows); // no row much emptier than another
    const height = Math.max(kPlotHeight, Math.floor((this.grid.clientHeight - 4 - 8 * (rows - 1)) / rows));
    this.grid.style.gridTemplateColumns = `repeat(${columns}, 1fr)`;
    const each = Math.floor((width - 12 * (columns - 1)) / columns);
    for (const plot of this.plots) plot.resize(each, height);
    this.isDirty = true;
  }

  private header(): HTMLElement {
    const group = (of: 'body' | 'step', title: string): HTMLElement =>
      h('div', { class: 'chip-group', role: 'group', 'aria-label': title }, h('span', { class: 'chip-title' }, title),
        ...PLOT_KINDS.filter((kind) => kind.of === of).map((kind) => this.chip(kind.id, kind.short ?? kind.title, kind.tip)));
    const save = (name: string, tip: string, run: () => void): HTMLElement =>
      h('button', { type: 'button', class: 'text-button', 'data-tip': tip, onclick: run }, icon('download'), name);
    return h(
      'header', { class: 'drawer-head' },
      h('div', { class: 'chip-groups' }, group('body', 'Body'), group('step', 'Steps')),
      h('div', { class: 'drawer-tools' }, this.window,
        save('CSV', 'Save all numbers of these plots as a table', () => this.saveCsv()),
        save('PNG', 'Save these plots as a picture', () => void this.savePicture()),
        closeButton('Close the plots', () => this.ui.toggle('plots'))),
    );
  }

  private chip(id: string, title: string, tip?: string): HTMLButtonElement {
    const toggle = (): void => {
      const { kinds } = this.kept;
      this.kept.kinds = kinds.includes(id) ? kinds.filter((other) => other !== id) : [...kinds, id];
      this.keep();
      this.choose();
    };
    const chip = h('button', { type: 'button', class: 'chip', 'data-tip': tip, 'data-kind': id, onclick: toggle }, title);
    this.chips.set(id, chip);
    return chip;
  }

  /** The upper edge, which is dragged. */
  private handle(): HTMLElement {
    const handle = h('div', { class: 'drawer-handle', role: 'separator', 'aria-orientation': 'horizontal', 'aria-label': 'Height of the plots', tabindex: '0' });
    const setHeight = (height: number): void => {
      this.kept.height = Math.round(Math.min(innerHeight - 160, Math.max(kLowest, height)));
      this.element.style.height = `${this.kept.height}px`;
    };
    handle.addEventListener('pointerdown', (event) => handle.setPointerCapture(event.pointerId));
    handle.addEventListener('pointermove', (event) => {
      if (handle.hasPointerCapture(event.pointerId)) setHeight(this.element.getBoundingClientRect().bottom - event.clientY);
    });
    handle.addEventListener('pointerup', () => this.keep());
    handle.addEventListener('keydown', (event) => {
      const by = { ArrowUp: 24, ArrowDown: -24 }[event.key];
      if (!by) return;
      event.preventDefault();
      setHeight(this.kept.height + by);
      this.keep();
    });
    return handle;
  }

  private keep(): void {
    remember('plots', this.kept);
    this.isDirty = true;
  }

  private saveCsv(): void {
    const tables = this.plots.flatMap((plot) => {
      const table = plot.shownTable;
      if (!table) return [];
      // Beside other plots a column needs the name of its own.
      const columns = table.columns.map((column) => ({ ...column, label: csvName(plot.kind.title, column.label) }));
      return [{ ...table, columns }];
    });
    if (!tables.length) {
      this.app.note('There is nothing in these plots yet.');
      return;
    }
    download(new Blob([toCsv(joinTables(tables))], { type: 'text/csv' }), `${this.commands.fileName()}_plots.csv`);
  }

  private async savePicture(): Promise<void> {
    const picture = await plotsPicture(this.plots);
    if (picture) download(picture, `${this.commands.fileName()}_plots.png`);
    else this.app.note('There is nothing in these plots yet.');
  }
}

/** "velocity x", but not "residual residual". */
function csvName(title: string, label: string): string {
  const name = title.toLowerCase();
  return label.startsWith(name) ? label : `${name} ${label}`;
}
