// The contacts of one body in the frame shown, the strongest first.
import type { App } from '../app';
import { h, setAttribute, setShown, setText } from './dom';
import { formatCount, formatNumber, formatResidual } from './format';

const kMost = 40; // rows; the ground may touch thousands

interface Contact {
  other: number;
  normal: number; // N
  friction: number; // N
  gap: number; // m
  residual: number;
}

interface Row {
  element: HTMLElement;
  other: HTMLButtonElement;
  cells: HTMLElement[];
}

export class ContactRows {
  readonly element: HTMLElement;
  private readonly title = h('h3', {}, 'Contacts');
  private readonly table = h('table', { class: 'contacts' });
  private readonly tbody = h('tbody', {});
  private readonly rest = h('p', { class: 'subtle', hidden: true });
  private readonly rows: Row[] = [];

  constructor(private readonly app: App) {
    const head = (name: string, unit: string, tip: string): HTMLElement =>
      h('th', { scope: 'col', 'data-tip': tip }, name, h('span', { class: 'unit' }, unit));
    this.table.append(
      h('thead', {}, h('tr', {},
        h('th', { scope: 'col' }, 'with'),
        head('normal', 'N', 'Part of the force along the normal'),
        head('friction', 'N', 'Size of the tangential part'),
        head('gap', 'mm', 'Negative: the shapes overlap'),
        head('residual', '', 'How far this contact is from its law, relative'))),
      this.tbody,
    );
    this.element = h('section', { class: 'contact-section' }, this.title, this.table, this.rest);
  }

  show(body: number): void {
    const contacts = this.find(body);
    const isKnown = contacts !== null;
    const count = contacts?.length ?? 0;
    setText(this.title, isKnown ? `Contacts (${formatCount(count)})` : 'Contacts');
    setShown(this.table, count > 0);
    setText(this.rest, !isKnown ? 'Not known for this moment.' : count === 0 ? 'It touches nothing.' : `and ${formatCount(count - kMost)} weaker ones`);
    setShown(this.rest, !isKnown || count === 0 || count > kMost);
    const shown = Math.min(kMost, count);
    while (this.rows.length < shown) this.rows.push(this.makeRow());
    this.rows.forEach((row, k) => {
      setShown(row.element, k < shown);
      if (k < shown) this.fill(row, contacts![k]);
    });
  }

  /** Null: the frame has no contacts with it. */
  private find(body: number): Contact[] | null {
    const table = this.app.frame.value?.contacts;
    if (!table) return null;
    const found: Contact[] = [];
    const { a, b, force, normal, gap, residual } = table;
    for (let i = 0; i < table.count; ++i) {
      if (a[i] !== body && b[i] !== body) continue;
      const [fx, fy, fz] = [force[3 * i], force[3 * i + 1], force[3 * i + 2]];
      const [nx, ny, nz] = [normal[3 * i], normal[3 * i + 1], normal[3 * i + 2]];
      const along = fx * nx + fy * ny + fz * nz;
      found.push({
        other: a[i] === body ? b[i] : a[i],
        normal: along,
        friction: Math.hypot(fx - along * nx, fy - along * ny, fz - along * nz),
        gap: gap[i],
        residual: residual[i],
      });
    }
    return found.sort((p, q) => q.normal - p.normal);
  }

  private makeRow(): Row {
    const other = h('button', { type: 'button', class: 'link' });
    other.addEventListener('click', () => {
      if (other.dataset.body) this.app.select(Number(other.dataset.body));
    });
    const cells = [0, 1, 2, 3].map(() => h('td', {}));
    const element = h('tr', {}, h('td', {}, other), ...cells);
    this.tbody.append(element);
    return { element, other, cells };
  }

  private fill(row: Row, contact: Contact): void {
    const name = contact.other < 0 ? 'world' : (this.app.scene.value?.bodies[contact.other]?.name ?? String(contact.other));
    setText(row.other, name);
    setAttribute(row.other, 'title', name);
    setAttribute(row.other, 'data-body', contact.other < 0 ? null : String(contact.other));
    setText(row.cells[0], formatNumber(contact.normal, 4));
    setText(row.cells[1], formatNumber(contact.friction, 4));
    setText(row.cells[2], formatNumber(1000 * contact.gap, 3));
    setText(row.cells[3], formatResidual(contact.residual));
  }
}
