// Which panels are open. Kept from one visit to the next.
import { Event, Signal } from '../signal';
import { onlyLike, recall, remember } from './memory';

export type LeftPanel = 'view' | 'touch' | '';

interface Kept {
  left: LeftPanel;
  right: boolean;
  plots: boolean;
  info: boolean;
  loop: boolean;
}

const kNarrow = 1080; // px; below, one column at a time; the style sheet knows it as well

function isNarrow(): boolean {
  return innerWidth < kNarrow;
}

export class UiState {
  readonly left = new Signal<LeftPanel>('view');
  readonly right = new Signal(true);
  readonly plots = new Signal(false);
  readonly info = new Signal(false);
  readonly loop = new Signal(false);
  /** All of the above hidden for a moment, to see the picture. */
  readonly isBare = new Signal(false);
  readonly help = new Signal(false);
  readonly searchWanted = new Event();

  constructor() {
    const defaults: Kept = { left: isNarrow() ? '' : 'view', right: !isNarrow(), plots: false, info: false, loop: false };
    const kept = onlyLike(defaults, recall<Kept>('panels'));
    this.left.value = ['view', 'touch', ''].includes(kept.left) ? kept.left : 'view';
    this.right.value = kept.right;
    this.plots.value = kept.plots;
    this.info.value = kept.info;
    this.loop.value = kept.loop;
    this.onResize();
    addEventListener('resize', () => this.onResize());
    this.left.watch((left) => {
      if (left && isNarrow()) this.right.value = false;
    });
    this.right.watch((isOpen) => {
      if (isOpen && isNarrow()) this.left.value = '';
    });
    for (const part of [this.left, this.right, this.plots, this.info, this.loop]) {
      (part as Signal<unknown>).watch(() => {
        this.isBare.value = false; // who opens a panel wants to see it
        this.keep();
      });
    }
  }

  toggleLeft(which: 'view' | 'touch'): void {
    if (this.isBare.value) {
      this.left.value = which;
      this.isBare.value = false;
    } else {
      this.left.value = this.left.value === which ? '' : which;
    }
  }

  toggle(which: 'right' | 'plots' | 'info' | 'loop'): void {
    this[which].value = (this.isBare.value && which !== 'loop') || !this[which].value;
    if (which !== 'loop') this.isBare.value = false;
  }

  search(): void {
    this.right.value = true;
    this.isBare.value = false;
    this.searchWanted.emit();
  }

  private onResize(): void {
    if (isNarrow() && this.left.value && this.right.value) this.right.value = false;
  }

  private keep(): void {
    const kept: Kept = {
      left: this.left.value,
      right: this.right.value,
      plots: this.plots.value,
      info: this.info.value,
      loop: this.loop.value,
    };
    remember('panels', kept);
  }
}
