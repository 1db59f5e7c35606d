// Controls used in several panels.
import { h, setAttribute, setShown } from './dom';
import { formatPlain } from './format';
import { icon } from './icons';

export function section(title: string, ...children: (Node | null)[]): HTMLElement {
  return h('section', { class: 'section' }, h('h3', {}, title), ...children);
}

export function closeButton(label: string, onclick: () => void): HTMLButtonElement {
  return h('button', { class: 'icon-button small', type: 'button', 'aria-label': label, 'data-tip': label, onclick }, icon('close'));
}

/** One of a few. */
export function segmented<T extends string>(
  label: string,
  names: Record<T, string>,
  choose: (value: T) => void,
): { element: HTMLElement; show(value: T): void } {
  const values = Object.keys(names) as T[];
  const buttons = values.map((value) =>
    h('button', { type: 'button', role: 'radio', 'aria-checked': 'false', onclick: () => choose(value) }, names[value]),
  );
  const element = h('div', { class: 'segmented', role: 'radiogroup', 'aria-label': label }, ...buttons);
  element.addEventListener('keydown', (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    if (!by || at < 0) return;
    event.preventDefault();
    const next = (at + by + values.length) % values.length;
    choose(values[next]);
    buttons[next].focus();
  });
  const show = (value: T): void =>
    buttons.forEach((button, k) => {
      setAttribute(button, 'aria-checked', String(values[k] === value));
      button.tabIndex = values[k] === value ? 0 : -1;
    });
  return { element, show };
}

export interface NumberFieldOptions {
  label: string;
  unit?: string;
  /** What is wrong with the value, or empty. */
  check?(value: number): string;
  commit(value: number): void;
  tip?: string;
  prefix?: string; // shown inside the field, such as x
}

const kPatience = 1000; // ms until the program has answered

/**
 * A number that is typed. It follows what show() says, but never while it has the focus or holds something wrong,
 * and not before the program had the time to answer.
 */
export class NumberField {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  private readonly problem = h('span', { class: 'field-problem', hidden: true, role: 'alert' });
  private shown = NaN;
  private committedAt = -Infinity;

  constructor(private readonly options: NumberFieldOptions) {
    const { label, unit, tip, prefix } = options;
    this.input = h('input', {
      type: 'text', inputmode: 'decimal', autocomplete: 'off', spellcheck: 'false', 'aria-label': label, 'data-tip': tip,
    });
    this.input.addEventListener('change', () => this.commit());
    this.input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.commit();
      if (event.key === 'Escape') this.revert();
    });
    this.input.addEventListener('blur', () => {
      if (this.problem.hidden) this.write();
    });
    const box = h(
      'span', { class: 'number-field' },
      prefix ? h('span', { class: `prefix axis-${prefix}` }, prefix) : null,
      this.input,
      unit ? h('span', { class: 'unit' }, unit) : null,
    );
    this.element = h('span', { class: 'field' }, box, this.problem);
  }

  get value(): number {
    return this.shown;
  }

  show(value: number): void {
    if (Object.is(value, this.shown)) return;
    if (document.activeElement === this.input || !this.problem.hidden) return;
    if (performance.now() - this.committedAt < kPatience) return;
    this.shown = value;
    this.write();
  }

  private write(): void {
    this.input.value = formatPlain(this.shown);
  }

  private revert(): void {
    this.complain('');
    this.write();
  }

  private complain(text: string): void {
    setAttribute(this.input, 'aria-invalid', text ? 'true' : null);
    this.problem.textContent = text;
    setShown(this.problem, text !== '');
  }

  private commit(): void {
    const text = this.input.value.trim().replace('\u2212', '-').replace(',', '.');
    const value = text === '' ? NaN : Number(text);
    const problem = Number.isFinite(value) ? (this.options.check?.(value) ?? '') : 'Not a number';
    this.complain(problem);
    if (problem || value === this.shown) return;
    this.shown = value;
    this.committedAt = performance.now();
    this.options.commit(value);
  }
}

/** Options of a select, rebuilt only when they are others. */
export function fillSelect(select: HTMLSelectElement, values: string[], names = values): void {
  const key = values.join('\n');
  if (select.dataset.values === key) return;
  select.dataset.values = key;
  select.replaceChildren(...values.map((value, k) => h('option', { value }, names[k])));
}

/** Unless somebody is choosing. */
export function showChoice(select: HTMLSelectElement, value: string): void {
  if (select.value !== value && document.activeElement !== select) select.value = value;
}
