// The bar at the bottom: playing, and where in time the page is.
import type { App } from '../app';
import { SPEEDS } from '../player';
import type { Commands } from './commands';
import { h, Pace, setAttribute, setShown, setText } from './dom';
import { formatFactor, formatTime, timeDecimals } from './format';
import { setIcon } from './icons';
import type { IconName } from './icons';
import { TimeSlider } from './time_slider';
import type { UiState } from './ui_state';
import { fillSelect, showChoice } from './widgets';

const kLoadingAfter = 150; // ms; shorter waits are not worth a word

export class Transport {
  private readonly play: HTMLButtonElement;
  private readonly reset: HTMLButtonElement;
  private readonly forward: HTMLButtonElement;
  private readonly loop: HTMLButtonElement;
  private readonly live: HTMLButtonElement;
  private readonly speed = h('select', { class: 'speed', 'aria-label': 'Speed', 'data-tip': 'Times real time', 'data-keys': '+ −' });
  private readonly slider: TimeSlider;
  private readonly now = h('b', { class: 'time-now' });
  private readonly end = h('span', { class: 'time-end' });
  private readonly hint = h('span', { class: 'hint', hidden: true });
  private readonly spinner = h('span', { class: 'spinner', hidden: true, role: 'status', 'aria-label': 'Loading frames' });
  private readonly bar: HTMLElement;
  private waitingSince = 0;
  private readonly pace = new Pace(50); // of the words and numbers

  constructor(root: HTMLElement, private readonly app: App, commands: Commands, private readonly ui: UiState) {
    this.slider = new TimeSlider(app, () => this.decimals);
    this.reset = commands.button('reset', 'toStart');
    this.play = commands.button('play', 'play', 'icon-button primary');
    this.forward = commands.button('forward', 'stepForward');
    this.loop = commands.button('loop', 'loop');
    this.live = commands.button('live', 'Live', 'live-button');
    this.live.prepend(h('span', { class: 'dot' }));
    this.speed.addEventListener('change', () => app.player.setSpeed(Number(this.speed.value)));
    this.bar = h(
      'footer', { class: 'panel transport', role: 'group', 'aria-label': 'Time' },
      h('div', { class: 'buttons' }, this.reset, commands.button('back', 'stepBack'), this.play, this.forward),
      this.speed,
      this.slider.element,
      h('div', { class: 'clock' }, this.spinner, this.now, h('span', { class: 'slash' }, '/'), this.end, h('span', { class: 'unit' }, 's')),
      this.hint,
      this.loop,
      this.live,
    );
    root.append(this.bar);
    ui.loop.bind((isOn) => setAttribute(this.loop, 'aria-pressed', String(isOn)));
    app.player.playing.watch((isPlaying) => this.onPlaying(isPlaying));
    app.scene.bind(() => this.showScene());
  }

  update(): void {
    const { app } = this;
    const { player, timeline } = app;
    const time = timeline.times[player.cursor.value] ?? NaN;
    this.slider.update();
    this.showPlaying();
    this.showWaiting(time);
    if (!this.pace.isDue()) return;
    setText(this.now, formatTime(time, this.decimals));
    setText(this.end, formatTime(timeline.times.at(-1) ?? NaN, this.decimals));
    this.showSpeed();
    this.showPlace();
  }

  private get decimals(): number {
    return timeDecimals(this.app.scene.value?.hello.scene.step ?? 0.01);
  }

  private showScene(): void {
    const { isLive } = this.app;
    this.bar.classList.toggle('is-empty', this.app.scene.value === null);
    setShown(this.loop, !isLive && this.app.scene.value !== null);
    setShown(this.live, isLive);
    setIcon(this.reset, isLive ? 'reset' : 'toStart');
    const speeds = isLive ? [...SPEEDS, 0] : SPEEDS;
    fillSelect(this.speed, speeds.map(String), speeds.map(formatFactor));
  }

  private showPlaying(): void {
    const { player, isLive } = this.app;
    const isReplayable = !isLive && player.isAtEnd && this.app.timeline.count > 1;
    const image: IconName = player.playing.value ? 'pause' : isReplayable ? 'reset' : 'play';
    setIcon(this.play, image);
    setAttribute(this.play, 'aria-label', { pause: 'Pause', reset: 'Play from the start', play: 'Play' }[image as 'play']);
    setAttribute(this.play, 'data-tip', this.play.getAttribute('aria-label'));
    const isLocked = isLive && player.following.value && !player.canControl;
    if (this.play.disabled !== isLocked) this.play.disabled = this.forward.disabled = this.speed.disabled = isLocked;
  }

  private showSpeed(): void {
    const factor = String(this.app.player.speed.value);
    if (this.speed.value === factor) return;
    // The program may run at a speed that is not in the menu.
    if (![...this.speed.options].some((option) => option.value === factor)) {
      this.speed.append(h('option', { value: factor }, formatFactor(Number(factor))));
    }
    showChoice(this.speed, factor);
  }

  private showPlace(): void {
    const { player, timeline, isLive, status } = this.app;
    const isPast = isLive && !player.following.value;
    if (this.bar.classList.contains('is-past') !== isPast) this.bar.classList.toggle('is-past', isPast);
    setAttribute(this.live, 'aria-pressed', String(isLive && !isPast));
    const behind = (timeline.times.at(-1) ?? 0) - (timeline.times[player.cursor.value] ?? 0);
    const text = isPast ? `past, ${formatTime(behind, 2)} s ago`
      : isLive ? (status.value?.ended ? 'end of the run' : '')
      : !player.isAtEnd || timeline.count < 2 || player.playing.value ? ''
      : this.app.isRecordingComplete.value ? 'end of recording' : 'waiting for more';
    setText(this.hint, text);
    setShown(this.hint, text !== '');
  }

  /** A frame that is asked for and not here yet: the picture still shows another time. */
  private showWaiting(time: number): void {
    const frame = this.app.frame.value;
    const isWaiting = Number.isFinite(time) && (!frame || Math.abs(frame.time - time) > 1e-9 * Math.max(1, time));
    if (!isWaiting) this.waitingSince = 0;
    else if (this.waitingSince === 0) this.waitingSince = performance.now();
    setShown(this.spinner, isWaiting && performance.now() - this.waitingSince > kLoadingAfter);
  }

  private onPlaying(isPlaying: boolean): void {
    const { player, timeline, isLive } = this.app;
    if (isPlaying || isLive || !this.ui.loop.value || !player.isAtEnd || this.slider.isDragging || timeline.count < 2) return;
    queueMicrotask(() => player.play()); // after everyone has heard that it ended
  }
}
