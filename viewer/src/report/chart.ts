// A chart in SVG: lines or steps, a legend that switches them, the values of the nearest point on hover, and a button that
// saves the picture for a paper.
import { download, h } from '../ui/dom';
import type { Axis } from './axis';
import type { Looks } from './look';

export interface Point {
  x: number;
  y: number;
  text: string[]; // lines shown on hover, after the name of the line
}

export interface Line {
  solver: string;
  points: Point[];
  isStep?: boolean; // holds its value up to the next point and on to the right edge
  end?: 'good' | 'bad'; // a dot or a cross at its last point
  hasDots?: boolean; // at every point
}

export interface ChartContent {
  x: Axis;
  y: Axis;
  lines: Line[];
  levels?: { y: number; text: string }[]; // horizontal lines
}

const kHeight = 360;
const kMargin = { top: 12, bottom: 40, left: 58 };
const kLegendWidth = 190;
const kLegendRow = 15;
const kReach = 60; // px from which a point is still meant

type Place = { line: Line; point: Point; x: number; y: number };

function svg(tag: string, attributes: Record<string, string | number>, ...children: (Node | string)[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

export class Chart {
  readonly element: HTMLElement;
  private readonly tip = h('div', { class: 'tip', role: 'status' });
  private readonly box = h('div', { class: 'chart-box' });
  private content: ChartContent | null = null;
  private picture: SVGElement | null = null;
  private paths = new Map<string, SVGElement>();
  private places: Place[] = [];
  private width = 0;

  constructor(
    id: string,
    private readonly title: string,
    private readonly labels: { x: string; y: string },
    private readonly looks: Looks,
  ) {
    const save = h('button', { class: 'quiet', title: 'Save this chart as SVG', onclick: () => this.save(id) }, 'SVG');
    this.element = h('figure', { class: 'chart', 'data-chart': id }, h('figcaption', {}, title, save), this.box, this.tip);
    this.box.addEventListener('pointermove', (event) => this.hover(event));
    this.box.addEventListener('pointerleave', () => this.leave());
    looks.onChange(() => this.draw());
    new ResizeObserver(() => {
      if (Math.abs(this.box.clientWidth - this.width) > 1) this.draw();
    }).observe(this.box);
  }

  show(content: ChartContent): void {
    this.content = content;
    this.draw();
  }

  private get right(): number {
    return this.width - kLegendWidth;
  }

  private xOf(value: number): number {
    return kMargin.left + this.content!.x.share(value) * (this.right - kMargin.left);
  }

  private yOf(value: number): number {
    return kHeight - kMargin.bottom - this.content!.y.share(value) * (kHeight - kMargin.top - kMargin.bottom);
  }

  private draw(): void {
    this.leave();
    this.width = this.box.clientWidth;
    if (!this.content || this.width < kLegendWidth + 120) return;
    const { lines } = this.content;
    this.paths.clear();
    this.places = [];
    this.picture = svg('svg', {
      viewBox: `0 0 ${this.width} ${kHeight}`, width: this.width, height: kHeight, role: 'img', 'aria-label': this.title,
    });
    this.drawFrame();
    for (const line of lines) if (!this.looks.off.has(line.solver)) this.drawLine(line);
    this.drawLegend(lines);
    this.box.replaceChildren(this.picture);
    if (lines.length === 0) this.box.append(h('div', { class: 'nothing' }, 'Nothing to draw: no solver was recorded here.'));
  }

  private drawFrame(): void {
    const { x, y, levels } = this.content!;
    const bottom = kHeight - kMargin.bottom;
    const add = (element: SVGElement): void => void this.picture!.append(element);
    for (const tick of x.ticks(Math.floor((this.right - kMargin.left) / 60))) {
      const at = this.xOf(tick);
      add(svg('line', { class: 'grid', x1: at, x2: at, y1: kMargin.top, y2: bottom }));
      add(svg('text', { class: 'tick', x: at, y: bottom + 15, 'text-anchor': 'middle' }, x.text(tick)));
    }
    for (const tick of y.ticks(9)) {
      const at = this.yOf(tick);
      add(svg('line', { class: 'grid', x1: kMargin.left, x2: this.right, y1: at, y2: at }));
      add(svg('text', { class: 'tick', x: kMargin.left - 6, y: at + 4, 'text-anchor': 'end' }, y.text(tick)));
    }
    for (const { y: value, text } of levels ?? []) {
      const at = this.yOf(value);
      if (at < kMargin.top || at > bottom) continue;
      add(svg('line', { class: 'level', x1: kMargin.left, x2: this.right, y1: at, y2: at }));
      add(svg('text', { class: 'tick', x: kMargin.left + 5, y: at - 4 }, text));
    }
    const middle = 0.5 * (kMargin.top + bottom);
    add(svg('rect', { class: 'frame', x: kMargin.left, y: kMargin.top, width: this.right - kMargin.left, height: bottom - kMargin.top }));
    add(svg('text', { class: 'label', x: 0.5 * (kMargin.left + this.right), y: kHeight - 6, 'text-anchor': 'middle' }, this.labels.x));
    add(svg('text', { class: 'label', x: 14, y: middle, 'text-anchor': 'middle', transform: `rotate(-90 14 ${middle})` }, this.labels.y));
  }

  private drawLine(line: Line): void {
    const { colour, dash } = this.looks.of(line.solver);
    let path = '';
    let last: Place | null = null;
    const dots: SVGElement[] = [];
    for (const point of line.points) {
      const place = { line, point, x: this.xOf(point.x), y: this.yOf(point.y) };
      if (!Number.isFinite(place.x) || !Number.isFinite(place.y)) continue;
      if (path === '') path = `M${place.x.toFixed(1)} ${place.y.toFixed(1)}`;
      else path += `${line.isStep ? `H${place.x.toFixed(1)}` : ''}L${place.x.toFixed(1)} ${place.y.toFixed(1)}`;
      this.places.push(place);
      if (line.hasDots) dots.push(endMark('good', place));
      last = place;
    }
    if (!last) return;
    if (line.isStep) path += `H${this.right}`;
    const group = svg('g', { class: 'line', 'data-solver': line.solver, style: `stroke:${colour};color:${colour}` });
    group.append(svg('path', { d: path, 'stroke-dasharray': dash }));
    group.append(...dots);
    if (line.end) group.append(endMark(line.end, last));
    this.paths.set(line.solver, group);
    this.picture!.append(group);
  }

  private drawLegend(lines: Line[]): void {
    const left = this.right + 24;
    lines.forEach(({ solver }, index) => {
      const y = kMargin.top + 8 + index * Math.min(kLegendRow, (kHeight - 24) / lines.length);
      const { colour, dash } = this.looks.of(solver);
      const isOff = this.looks.off.has(solver);
      const entry = svg('g', { class: isOff ? 'entry off' : 'entry', 'data-entry': solver, tabindex: 0, role: 'button', 'aria-pressed': String(!isOff) },
        svg('title', {}, 'Click: hide or show. Double click: this one alone.'),
        svg('rect', { class: 'hit', x: left - 4, y: y - 8, width: kLegendWidth - 22, height: kLegendRow }),
        svg('line', { x1: left, x2: left + 24, y1: y, y2: y, style: `stroke:${colour}`, 'stroke-dasharray': dash, 'stroke-width': 2 }),
        svg('text', { class: 'tick', x: left + 30, y: y + 4 }, solver));
      entry.addEventListener('click', () => this.looks.toggle(solver));
      entry.addEventListener('dblclick', () => this.looks.isolate(solver));
      entry.addEventListener('keydown', (event) => {
        if ((event as KeyboardEvent).key === 'Enter' || (event as KeyboardEvent).key === ' ') {
          event.preventDefault();
          this.looks.toggle(solver);
        }
      });
      entry.addEventListener('pointerenter', () => this.emphasise(solver));
      entry.addEventListener('pointerleave', () => this.emphasise(null));
      this.picture!.append(entry);
    });
  }

  private emphasise(solver: string | null): void {
    this.paths.forEach((path, name) => {
      path.classList.toggle('faint', solver !== null && name !== solver);
      path.classList.toggle('strong', name === solver);
    });
  }

  private hover(event: PointerEvent): void {
    if (!this.content || !this.picture) return;
    const frame = this.box.getBoundingClientRect();
    const x = event.clientX - frame.left;
    const y = event.clientY - frame.top;
    if (x > this.right + 4) return this.hideTip();
    const nearest = this.nearest(x, y);
    if (!nearest) return this.leave();
    this.emphasise(nearest.line.solver);
    this.picture.querySelector('.ring')?.remove();
    this.picture.append(svg('circle', { class: 'ring', cx: nearest.x, cy: nearest.y, r: 5, style: `stroke:${this.looks.of(nearest.line.solver).colour}` }));
    this.tip.replaceChildren(h('b', {}, nearest.line.solver), ...nearest.point.text.map((text) => h('div', {}, text)));
    this.tip.classList.add('shown');
    const isLeft = nearest.x > 0.6 * this.right;
    this.tip.style.left = `${this.box.offsetLeft + nearest.x + (isLeft ? -12 - this.tip.offsetWidth : 12)}px`;
    this.tip.style.top = `${this.box.offsetTop + Math.min(nearest.y + 10, kHeight - this.tip.offsetHeight - 4)}px`;
  }

  private nearest(x: number, y: number): Place | null {
    let best: Place | null = null;
    let least = kReach;
    for (const place of this.places) {
      const distance = Math.hypot(place.x - x, place.y - y);
      if (distance < least) [best, least] = [place, distance];
    }
    return best;
  }

  private hideTip(): void {
    this.tip.classList.remove('shown');
    this.picture?.querySelector('.ring')?.remove();
  }

  private leave(): void {
    this.hideTip();
    this.emphasise(null);
  }

  /** The styles of the page do not go with a file: they are written into it. */
  private save(id: string): void {
    if (!this.picture) return;
    const copy = this.picture.cloneNode(true) as SVGElement;
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    const from = this.picture.querySelectorAll<SVGElement>('*');
    copy.querySelectorAll<SVGElement>('*').forEach((element, index) => {
      const style = getComputedStyle(from[index]);
      for (const name of ['stroke', 'fill', 'stroke-width', 'font-size', 'font-family', 'opacity']) {
        element.style.setProperty(name, style.getPropertyValue(name));
      }
    });
    download(new Blob([copy.outerHTML], { type: 'image/svg+xml' }), `${id}.svg`);
  }
}

function endMark(end: 'good' | 'bad', { x, y }: Place): SVGElement {
  if (end === 'good') return svg('circle', { class: 'dot', cx: x, cy: y, r: 3 });
  return svg('path', { class: 'cross', d: `M${x - 3.5} ${y - 3.5}l7 7m0 -7l-7 7` });
}
