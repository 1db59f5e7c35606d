// One tooltip for the page: for every element with data-tip, with its key. The browser's own come late and look foreign.
import { h } from './dom';

const kDelay = 450; // ms
const kGap = 6; // px

export class Tooltip {
  private readonly box = h('div', { class: 'tooltip', role: 'tooltip', hidden: true });
  private timer = 0;
  private target: HTMLElement | null = null;
  private lastShown = -Infinity;

  constructor(root: HTMLElement) {
    root.append(this.box);
    root.addEventListener('pointerover', (event) => this.enter((event.target as Element).closest('[data-tip]')));
    root.addEventListener('pointerleave', () => this.enter(null));
    root.addEventListener('pointerdown', () => this.hide());
    root.addEventListener('focusin', (event) => {
      const target = (event.target as Element).closest<HTMLElement>('[data-tip]');
      if (target?.matches(':focus-visible')) this.enter(target);
    });
    root.addEventListener('focusout', () => this.hide());
  }

  private enter(target: Element | null): void {
    if (target === this.target) return;
    this.hide();
    this.target = target as HTMLElement | null;
    if (!target) return;
    // Going from button to button, the next one answers at once.
    const delay = performance.now() - this.lastShown < 300 ? 60 : kDelay;
    this.timer = window.setTimeout(() => this.show(), delay);
  }

  private hide(): void {
    clearTimeout(this.timer);
    if (!this.box.hidden) this.lastShown = performance.now();
    this.box.hidden = true;
    this.target = null;
  }

  private show(): void {
    const target = this.target;
    if (!target?.isConnected) return;
    const keys = target.dataset.keys?.split(' ') ?? [];
    this.box.replaceChildren(target.dataset.tip ?? '', ...keys.map((key) => h('kbd', {}, key)));
    this.box.hidden = false;
    const around = target.getBoundingClientRect();
    const own = this.box.getBoundingClientRect();
    const left = around.left + (around.width - own.width) / 2;
    const below = around.bottom + kGap;
    const top = below + own.height > innerHeight - 4 ? around.top - own.height - kGap : below;
    this.box.style.left = `${Math.round(Math.max(6, Math.min(innerWidth - own.width - 6, left)))}px`;
    this.box.style.top = `${Math.round(top)}px`;
  }
}
