// What is wrong or worth knowing about the session as a whole: no connection, a simulation that stopped.
import type { App } from '../app';
import { h, setAttribute, setShown, setText } from './dom';
import { icon, setIcon } from './icons';
import type { IconName } from './icons';

const kSpinnerAfter = 1000; // ms

/** A line under the top bar. */
class Banner {
  readonly element: HTMLElement;
  private readonly text = h('span', { class: 'banner-text' });

  constructor(kind: string, image: IconName, ...actions: HTMLElement[]) {
    const role = kind === 'note' ? 'status' : 'alert';
    this.element = h('div', { class: `panel banner ${kind}`, role, hidden: true }, icon(image), this.text, ...actions);
  }

  /** Empty: nothing to say. */
  show(text: string): void {
    setText(this.text, text);
    setShown(this.element, text !== '');
  }
}

export class Banners {
  readonly element: HTMLElement;
  /** In the middle of the page, while there is no picture. */
  readonly cover: HTMLElement;
  private readonly coverTitle = h('h2', {});
  private readonly coverText = h('p', {});
  private readonly coverIcon = h('span', { class: 'cover-icon', 'data-icon': 'plug' }, icon('plug'));
  private readonly lost = new Banner('lost', 'plug');
  private readonly failure: Banner;
  private readonly resetButton = h('button', { type: 'button', class: 'text-button' }, 'Back to the start');
  private since = performance.now();
  private retryAt = 0;
  private wasLost = false;

  constructor(private readonly app: App) {
    this.resetButton.addEventListener('click', () => app.player.reset());
    this.failure = new Banner('failure', 'warn', this.resetButton);
    this.element = h('div', { class: 'banners' }, this.lost.element, this.failure.element);
    const card = h('div', { class: 'panel cover-card' }, h('span', { class: 'spinner large' }), this.coverIcon, this.coverTitle, this.coverText);
    this.cover = h('div', { class: 'cover', hidden: true, role: 'status' }, card);
    app.connection.watch((connection) => {
      this.since = performance.now();
      if (connection.state === 'lost') {
        this.wasLost = true;
        this.retryAt = performance.now() + 1000 * connection.retryInSeconds;
      }
      if (connection.state === 'open') this.wasLost = false;
    });
    app.status.watch(() => this.showStatus());
    app.scene.watch(() => this.showStatus());
  }

  update(): void {
    const connection = this.app.connection.value;
    const hasPicture = this.app.scene.value !== null;
    const seconds = Math.max(0, Math.ceil((this.retryAt - performance.now()) / 1000));
    const trying = connection.state === 'lost' && seconds > 0 ? `trying again in ${seconds} s` : 'trying again';
    const isFailed = connection.state === 'failed';
    this.lost.show(hasPicture && isFailed ? connection.message : hasPicture && this.wasLost ? `Connection lost, ${trying}` : '');
    const isWaiting = !hasPicture && performance.now() - this.since > kSpinnerAfter;
    const isLost = this.wasLost || connection.state === 'lost';
    setShown(this.cover, !hasPicture && (isFailed || isLost || isWaiting));
    if (hasPicture || this.cover.hidden) return;
    setAttribute(this.cover, 'data-state', isFailed ? 'failed' : isLost ? 'lost' : 'connecting');
    setIcon(this.coverIcon, isFailed ? 'warn' : 'plug');
    setText(this.coverTitle, isFailed ? 'This cannot be shown' : isLost ? 'No connection' : connection.state === 'open' ? 'Loading the scene' : 'Connecting');
    setText(this.coverText, isFailed ? connection.message : isLost ? `The program does not answer, ${trying}.` : '');
  }

  private showStatus(): void {
    const status = this.app.status.value;
    const isLive = this.app.isLive;
    this.failure.show(isLive && status?.failure ? `The simulation stopped: ${status.failure}` : '');
    setShown(this.resetButton, this.app.can('restart'));
  }
}
