// The line of time: drag along it to go anywhere. Arrow keys, Home and End are those of the whole page.
import type { App } from '../app';
import { h, setAttribute, setShown, setText } from './dom';
import { formatTime } from './format';

export class TimeSlider {
  readonly element: HTMLElement;
  isDragging = false;
  private readonly fill = h('span', { class: 'slider-fill' });
  private readonly thumb = h('span', { class: 'slider-thumb' });
  private readonly ghost = h('span', { class: 'slider-ghost', hidden: true });
  private readonly bubble = h('span', { class: 'slider-bubble', hidden: true });
  private shown = '';

  constructor(private readonly app: App, private readonly decimals: () => number) {
    this.element = h(
      'div',
      { class: 'time-slider', role: 'slider', tabindex: '0', 'aria-label': 'Time', 'aria-valuemin': '0' },
      h('span', { class: 'slider-track' }, this.fill),
      this.ghost, this.thumb, this.bubble,
    );
    this.element.addEventListener('pointerdown', (event) => this.onDown(event));
    this.element.addEventListener('pointermove', (event) => this.onMove(event));
    this.element.addEventListener('pointerup', (event) => this.onUp(event));
    this.element.addEventListener('pointercancel', () => this.endDrag());
    this.element.addEventListener('pointerleave', () => this.hover(null));
    this.element.addEventListener('keydown', (event) => this.onKey(event));
  }

  get range(): [number, number] {
    const { times } = this.app.timeline;
    return times.length ? [times[0], times[times.length - 1]] : [0, 0];
  }

  update(): void {
    const [first, last] = this.range;
    const time = this.app.timeline.times[this.app.player.cursor.value] ?? 0;
    const at = last > first ? (time - first) / (last - first) : 0;
    const key = `${at} ${last} ${time}`;
    if (key === this.shown) return;
    this.shown = key;
    this.fill.style.transform = `scaleX(${at})`;
    this.thumb.style.left = `${100 * at}%`;
    setAttribute(this.element, 'aria-valuemin', String(first));
    setAttribute(this.element, 'aria-valuemax', String(last));
    setAttribute(this.element, 'aria-valuenow', String(time));
    setAttribute(this.element, 'aria-valuetext', `${formatTime(time, this.decimals())} s`);
  }

  private timeAt(event: PointerEvent): number {
    const box = this.element.getBoundingClientRect();
    const [first, last] = this.range;
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    return first + share * (last - first);
  }

  /** The frame nearest to the pointer, not the one before it: the end must be easy to hit. */
  private seek(event: PointerEvent): void {
    const { timeline, player } = this.app;
    const time = this.timeAt(event);
    const before = timeline.indexAt(time);
    const after = Math.min(before + 1, timeline.count - 1);
    player.seek(timeline.times[after] - time < time - timeline.times[before] ? after : before);
  }

  private onDown(event: PointerEvent): void {
    if (event.button !== 0 || this.app.timeline.count === 0) return;
    this.element.setPointerCapture(event.pointerId);
    this.isDragging = true;
    this.element.classList.add('dragging');
    this.seek(event);
    this.hover(event);
  }

  private onMove(event: PointerEvent): void {
    if (this.isDragging) this.seek(event);
    this.hover(event);
  }

  /** To where it is let go: a slow page may not have been told of the last moves. */
  private onUp(event: PointerEvent): void {
    if (this.isDragging) this.seek(event);
    this.endDrag();
  }

  private endDrag(): void {
    this.isDragging = false;
    this.element.classList.remove('dragging');
  }

  private onKey(event: KeyboardEvent): void {
    const by = { PageUp: 0.1, PageDown: -0.1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const { player, timeline } = this.app;
    player.seek(player.cursor.value + Math.round(by * timeline.count));
  }

  private hover(event: PointerEvent | null): void {
    const isShown = event !== null && this.app.timeline.count > 0;
    setShown(this.bubble, isShown);
    setShown(this.ghost, isShown);
    if (!event || !isShown) return;
    const box = this.element.getBoundingClientRect();
    const x = Math.min(box.width, Math.max(0, event.clientX - box.left));
    this.bubble.style.left = `${x}px`;
    this.ghost.style.left = `${x}px`;
    setText(this.bubble, `${formatTime(this.timeAt(event), this.decimals())} s`);
  }
}
