// All bodies, to find one by its name. Only the rows that can be seen exist.
import type { App } from '../app';
import { defaultColor, FIXED_COLOR } from '../scene/palette'; // as in the picture
import type { BodyInfo, SceneTable } from '../scene_table';
import type { Commands } from './commands';
import { h, setAttribute, setShown, setText } from './dom';
import { formatCount } from './format';
import { icon } from './icons';
import type { UiState } from './ui_state';

const kRow = 24; // px, as in the style sheet
const kSpare = 4; // rows above and below

function cssColor({ color, motion, moving }: BodyInfo): string {
  const shown = color >= 0 ? color : motion === 'fixed' ? FIXED_COLOR : defaultColor(moving);
  return `#${shown.toString(16).padStart(6, '0')}`;
}

interface Row {
  element: HTMLElement;
  swatch: HTMLElement;
  name: HTMLElement;
  motion: HTMLElement;
  body: number;
}

export class BodyList {
  readonly element: HTMLElement;
  private readonly input = h('input', {
    type: 'search', placeholder: 'Find a body', 'aria-label': 'Find a body by its name', autocomplete: 'off', spellcheck: 'false',
    role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'body-rows',
  });
  private readonly count = h('span', { class: 'count' });
  private readonly window = h('div', { class: 'rows', id: 'body-rows', role: 'listbox', 'aria-multiselectable': 'true', 'aria-label': 'Bodies', tabindex: '-1' });
  private readonly space = h('div', { class: 'rows-space' });
  private readonly nothing = h('div', { class: 'empty', hidden: true }, 'No body has this name.');
  private readonly rows: Row[] = [];
  private names: string[] = []; // lower case
  private found: number[] | null = null; // null: all
  private isDirty = true;
  private revealed: number | null = null;

  constructor(private readonly app: App, commands: Commands, ui: UiState) {
    this.window.append(this.space);
    const search = h('label', { class: 'search', ...commands.attributes('search') }, icon('search'), this.input, this.count);
    this.element = h('div', { class: 'body-list' }, search, this.window, this.nothing);
    this.input.addEventListener('input', () => this.filter());
    this.input.addEventListener('keydown', (event) => this.onKey(event));
    this.window.addEventListener('keydown', (event) => this.onKey(event));
    this.window.addEventListener('scroll', () => void (this.isDirty = true), { passive: true });
    this.window.addEventListener('click', (event) => this.onClick(event));
    new ResizeObserver(() => {
      this.isDirty = true;
      this.revealed = app.selection.value.at(-1) ?? null; // the inspector below may have covered it
    }).observe(this.window);
    app.scene.bind((scene) => this.showScene(scene));
    app.partsAdded.watch(() => this.showScene(app.scene.value));
    app.selection.watch((bodies) => {
      this.isDirty = true;
      if (bodies.length) this.revealed = bodies[bodies.length - 1];
    });
    ui.searchWanted.watch(() => {
      this.input.focus();
      this.input.select();
    });
  }

  /** Rows into the part that can be seen. */
  update(): void {
    if (!this.isDirty || !this.element.isConnected || this.window.clientHeight === 0) return;
    this.isDirty = false;
    if (this.revealed !== null) this.reveal(this.revealed);
    this.revealed = null;
    const total = this.length;
    const first = Math.max(0, Math.floor(this.window.scrollTop / kRow) - kSpare);
    const shown = Math.min(total - first, Math.ceil(this.window.clientHeight / kRow) + 2 * kSpare);
    while (this.rows.length < shown) this.rows.push(this.makeRow());
    const selected = new Set(this.app.selection.value);
    this.rows.forEach((row, k) => {
      setShown(row.element, k < shown);
      if (k < shown) this.fill(row, first + k, selected);
    });
  }

  private get length(): number {
    return this.found ? this.found.length : this.names.length;
  }

  private bodyAt(index: number): number {
    return this.found ? this.found[index] : index;
  }

  private indexOf(body: number): number {
    return this.found ? this.found.indexOf(body) : body;
  }

  private showScene(scene: SceneTable | null): void {
    this.names = scene ? scene.bodies.map((body) => body.name.toLowerCase()) : [];
    for (const row of this.rows) row.body = -1; // the same row may mean another body now
    this.filter();
  }

  /** All words must be in the name, in any order. */
  private filter(): void {
    const words = this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const before = this.found;
    this.found = null;
    if (words.length) {
      this.found = [];
      for (let k = 0; k < this.names.length; ++k) if (words.every((word) => this.names[k].includes(word))) this.found.push(k);
    }
    this.space.style.height = `${kRow * this.length}px`;
    if (before !== null || this.found !== null) this.window.scrollTop = 0;
    const all = formatCount(this.names.length);
    setText(this.count, this.found ? `${formatCount(this.length)} of ${all}` : all);
    setShown(this.nothing, this.length === 0 && this.names.length > 0);
    this.isDirty = true;
  }

  private makeRow(): Row {
    const swatch = h('span', { class: 'swatch' });
    const name = h('span', { class: 'name' });
    const motion = h('span', { class: 'motion' });
    const element = h('div', { class: 'row', role: 'option' }, swatch, name, motion);
    this.space.append(element);
    return { element, swatch, name, motion, body: -1 };
  }

  private fill(row: Row, index: number, selected: Set<number>): void {
    const body = this.bodyAt(index);
    const info = this.app.scene.value!.bodies[body];
    const top = `translateY(${index * kRow}px)`;
    if (row.element.style.transform !== top) row.element.style.transform = top;
    setAttribute(row.element, 'aria-selected', String(selected.has(body)));
    if (row.body === body) return;
    row.body = body;
    row.element.id = `body-row-${body}`;
    row.element.dataset.body = String(body);
    setAttribute(row.element, 'aria-posinset', String(index + 1));
    setAttribute(row.element, 'aria-setsize', String(this.length));
    setText(row.name, info.name || `body ${body}`);
    setAttribute(row.name, 'title', info.name || null);
    setText(row.motion, info.motion === 'dynamic' ? '' : info.motion);
    setAttribute(row.element, 'title', `${info.name} · ${info.motion}`);
    row.swatch.style.background = cssColor(info);
  }

  private reveal(body: number): void {
    const index = this.indexOf(body);
    if (index < 0) return;
    const top = index * kRow;
    const { scrollTop, clientHeight } = this.window;
    if (top < scrollTop || top + kRow > scrollTop + clientHeight) this.window.scrollTop = top - (clientHeight - kRow) / 2;
  }

  private onClick(event: MouseEvent): void {
    const row = (event.target as Element).closest<HTMLElement>('[data-body]');
    if (!row) return;
    this.app.select(Number(row.dataset.body), event.shiftKey || event.ctrlKey || event.metaKey);
    this.revealed = null; // it is under the pointer; the list must not move
  }

  private onKey(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (by === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (this.length === 0) return;
    const last = this.app.selection.value.at(-1);
    const at = last === undefined ? -1 : this.indexOf(last);
    const next = by === undefined || at < 0 ? 0 : Math.min(this.length - 1, Math.max(0, at + by));
    const body = this.bodyAt(by === undefined && at >= 0 ? at : next);
    this.app.select(body, false);
    setAttribute(this.input, 'aria-activedescendant', `body-row-${body}`);
  }
}
