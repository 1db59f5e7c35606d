// Choices and tables.
import { h } from '../ui/dom';
import type { Child } from '../ui/dom';
import type { Looks } from './look';

/** A labelled list to choose from; [value, text] each. */
export function choice(label: string, entries: [string, string][], onChoice: (value: string) => void, first?: string): HTMLElement {
  const select = h('select', { 'data-choice': label },
    ...entries.map(([value, text]) => h('option', { value, selected: value === first }, text)));
  select.addEventListener('change', () => onChoice(select.value));
  return h('label', { class: 'choice' }, `${label} `, select);
}

export interface Column<Row> {
  head: string;
  help?: string;
  isText?: boolean; // else a number, on the right
  cell: (row: Row) => Child;
  order?: (row: Row) => number | string; // makes the column sortable
}

/** A table that its heads sort. */
export function table<Row>(columns: Column<Row>[], rows: Row[], attributes: Record<string, string> = {}): HTMLElement {
  const body = h('tbody');
  const heads = columns.map((column) =>
    h('th', { class: column.isText ? 'text' : '', title: column.help, scope: 'col' }, column.head));
  const fill = (shown: Row[]): void =>
    body.replaceChildren(...shown.map((row) =>
      h('tr', {}, ...columns.map((column) => h('td', { class: column.isText ? 'text' : '' }, column.cell(row))))));
  columns.forEach(({ order }, index) => {
    if (!order) return;
    let isDown = false;
    heads[index].classList.add('sortable');
    heads[index].addEventListener('click', () => {
      isDown = !isDown;
      const sign = isDown ? 1 : -1;
      fill([...rows].sort((a, b) => {
        const [x, y] = [order(a), order(b)];
        return x < y ? -sign : x > y ? sign : 0;
      }));
    });
  });
  fill(rows);
  return h('div', { class: 'table-box' }, h('table', attributes, h('thead', {}, h('tr', {}, ...heads)), body));
}

/** The name of a solver with its line; a click hides or shows it in all charts. */
export function solverName(solver: string, looks: Looks): HTMLElement {
  const { colour, dash } = looks.of(solver);
  const sample = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  sample.setAttribute('width', '24');
  sample.setAttribute('height', '10');
  sample.innerHTML = `<line x1="0" x2="24" y1="5" y2="5" stroke-width="2.5" style="stroke:${colour}" stroke-dasharray="${dash}"/>`;
  const button = h('button', { class: 'solver', 'data-toggle': solver, title: 'Hide or show in all charts', onclick: () => looks.toggle(solver) });
  button.append(sample, solver);
  const mark = (): void => {
    button.classList.toggle('off', looks.off.has(solver));
    button.setAttribute('aria-pressed', String(!looks.off.has(solver)));
  };
  looks.onChange(mark);
  mark();
  return button;
}
