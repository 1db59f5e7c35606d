// Short messages that go away by themselves.
import type { App, Note } from '../app';
import { h, setText } from './dom';
import { icon } from './icons';
import { closeButton } from './widgets';

const kMost = 4;
const kLifetime = { info: 2500, error: 9000 }; // ms

interface Toast {
  element: HTMLElement;
  count: HTMLElement;
  note: Note;
  times: number;
  timer: number;
}

export class Toasts {
  readonly element = h('div', { class: 'toasts', role: 'log', 'aria-live': 'polite' });
  private toasts: Toast[] = [];

  constructor(app: App) {
    app.notes.watch((note) => this.show(note));
  }

  private show(note: Note): void {
    const same = this.toasts.find((toast) => toast.note.text === note.text && toast.note.kind === note.kind);
    if (same) {
      setText(same.count, `×${++same.times}`);
      this.startTimer(same);
      return;
    }
    const count = h('span', { class: 'toast-count' });
    const toast: Toast = { element: h('div', {}), count, note, times: 1, timer: 0 };
    toast.element = h(
      'div', { class: `panel toast toast-${note.kind}`, role: note.kind === 'error' ? 'alert' : 'status' },
      icon(note.kind === 'error' ? 'warn' : 'info'), h('span', { class: 'toast-text' }, note.text), count,
      closeButton('Dismiss', () => this.remove(toast)),
    );
    // Who reads it keeps it.
    toast.element.addEventListener('pointerenter', () => clearTimeout(toast.timer));
    toast.element.addEventListener('pointerleave', () => this.startTimer(toast));
    this.toasts.push(toast);
    this.element.append(toast.element);
    this.startTimer(toast);
    while (this.toasts.length > kMost) this.remove(this.toasts.find((t) => t.note.kind === 'info') ?? this.toasts[0]);
  }

  private startTimer(toast: Toast): void {
    clearTimeout(toast.timer);
    toast.timer = window.setTimeout(() => this.remove(toast), kLifetime[toast.note.kind]);
  }

  private remove(toast: Toast): void {
    clearTimeout(toast.timer);
    toast.element.remove();
    this.toasts = this.toasts.filter((other) => other !== toast);
  }
}
