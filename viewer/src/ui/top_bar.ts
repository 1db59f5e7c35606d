// The bar at the top: which scene, which step, and how well it was solved.
import type { App } from '../app';
import type { Commands } from './commands';
import { h, Pace, setAttribute, setShown, setText } from './dom';
import { formatCount, formatResidual, formatRough, formatTime, timeDecimals } from './format';
import { icon } from './icons';
import { judge, MissCounter, receiptAt, toleranceOf } from './receipts';
import type { Receipt, Verdict } from './receipts';
import type { UiState } from './ui_state';

const kMarks: Record<Verdict, string> = { good: '✓', near: '!', bad: '✕', unknown: '' };

interface Figure {
  element: HTMLElement;
  value: HTMLElement;
}

function figure(name: string, unit: string, tip: string): Figure {
  const value = h('b', {});
  const element = h('span', { class: `figure figure-${name}`, 'data-tip': tip }, value, h('span', { class: 'unit' }, unit));
  return { element, value };
}

export class TopBar {
  private readonly name = h('h1', {}, 'Scree');
  private readonly badge = h('span', { class: 'badge', hidden: true });
  private readonly figures = h('div', { class: 'figures' });
  private readonly time = figure('time', 's', 'Simulated time');
  private readonly step = figure('step', 'step', 'Steps done');
  private readonly rate = figure('rate', 'real time', 'Simulated seconds per second, measured');
  private readonly cost = figure('cost', 'ms/step', 'Time the program needs for one step');
  private readonly contacts = figure('contacts', 'contacts', 'Contacts in this step');
  private readonly residual = h('div', { class: 'residual', role: 'status' });
  private readonly residualValue = h('b', {});
  private readonly residualText = h('span', { class: 'verdict' });
  private readonly misses = h('span', { class: 'misses', hidden: true });
  private readonly touchButton: HTMLButtonElement;
  private readonly counter: MissCounter;
  private readonly pace = new Pace(100);
  private isDirty = true;

  constructor(root: HTMLElement, private readonly app: App, commands: Commands, ui: UiState) {
    this.counter = new MissCounter(app.steps);
    this.residual.append(
      h('span', { class: 'dot' }), h('span', { class: 'residual-label' }, 'residual'), this.residualValue, this.residualText, this.misses,
    );
    this.figures.append(...[this.time, this.step, this.rate, this.cost, this.contacts].map((f) => f.element));
    this.touchButton = commands.button('panel touch', 'touch');
    const buttons: [HTMLButtonElement, () => boolean][] = [
      [commands.button('panel view', 'view'), () => ui.left.value === 'view'],
      [this.touchButton, () => ui.left.value === 'touch'],
      [commands.button('panel bodies', 'bodies'), () => ui.right.value],
      [commands.button('plots', 'plots'), () => ui.plots.value],
      [commands.button('info', 'info'), () => ui.info.value],
      [commands.button('help', 'help'), () => ui.help.value],
    ];
    root.append(
      h(
        'header', { class: 'panel top-bar' },
        h('div', { class: 'identity' }, h('span', { class: 'logo' }, icon('logo')), this.name, this.badge),
        this.figures,
        this.residual,
        h('nav', { 'aria-label': 'Panels' }, ...buttons.map(([button]) => button)),
      ),
    );
    const showOpen = (): void => {
      for (const [button, isOpen] of buttons) setAttribute(button, 'aria-pressed', String(isOpen() && (!ui.isBare.value || button === buttons[5][0])));
    };
    for (const part of [ui.left, ui.right, ui.plots, ui.info, ui.help, ui.isBare]) part.watch(showOpen);
    showOpen();
    app.scene.bind(() => this.showScene());
    app.isRecordingComplete.watch(() => this.showScene());
    const dirty = (): void => void (this.isDirty = true);
    app.frame.watch(dirty);
    app.status.watch(dirty);
    app.steps.changed.watch(dirty);
  }

  update(): void {
    if (!this.isDirty || !this.pace.isDue()) return;
    this.isDirty = false;
    this.showFigures();
  }

  private showScene(): void {
    const hello = this.app.scene.value?.hello;
    this.isDirty = true;
    setShown(this.badge, hello !== undefined);
    setShown(this.touchButton, hello?.mode === 'live' && hello.can.some((ability) => ability !== 'control'));
    if (!hello) return;
    setText(this.name, hello.scene.name);
    setAttribute(this.name, 'title', hello.scene.name);
    document.title = `${hello.scene.name} · Scree`;
    setAttribute(this.name, 'data-tip', hello.scene.description || null);
    const isView = hello.mode === 'live' && hello.can.length === 0;
    const [kind, text, tip] =
      hello.mode === 'live' ? ['live', isView ? 'Live, view only' : 'Live', 'A simulation that runs now']
      : this.app.source.isWhole ? ['page', 'Exported page', 'A recording inside this page; no program is needed']
      : this.app.isRecordingComplete.value ? ['replay', 'Replay', 'A recording']
      : ['growing', 'Recording in progress', 'The run is still being recorded; new frames come by themselves'];
    setAttribute(this.badge, 'data-kind', kind);
    setAttribute(this.badge, 'data-tip', tip);
    setText(this.badge, text);
  }

  private showFigures(): void {
    const { app } = this;
    const { frame: { value: frame }, status: { value: status }, scene: { value: scene } } = app;
    setShown(this.figures, scene !== null && frame !== null);
    setShown(this.residual, scene !== null && frame !== null);
    if (!frame || !scene) return;
    const receipt = receiptAt(app, frame.time);
    setText(this.time.value, formatTime(frame.time, timeDecimals(scene.hello.scene.step)));
    setText(this.step.value, formatCount(frame.step));
    const isNow = app.isLive && app.player.following.value;
    setShown(this.rate.element, app.isLive);
    setText(this.rate.value, isNow && status?.playing ? `${formatRough(status.rate)}×` : '–');
    setText(this.cost.value, formatRough(isNow && status ? status.ms_per_step : (receipt?.ms ?? NaN)));
    setText(this.contacts.value, formatCount(receipt?.contacts ?? frame.contacts?.count ?? NaN));
    this.showResidual(receipt);
  }

  private showResidual(receipt: Receipt | null): void {
    const tolerance = toleranceOf(this.app);
    const verdict = judge(receipt, tolerance);
    setAttribute(this.residual, 'data-verdict', verdict);
    setText(this.residualValue, formatResidual(receipt?.residual ?? NaN));
    // The words say what is true of the two numbers; the program may judge by more than these.
    const isBelow = receipt !== null && receipt.residual <= tolerance;
    const relation = !(tolerance > 0) ? { good: 'converged', near: 'not converged', bad: 'not converged', unknown: '' }[verdict]
      : verdict === 'good' && !isBelow ? 'accepted, above ' + formatResidual(tolerance)
      : verdict !== 'good' && isBelow ? 'not converged'
      : `${isBelow ? 'below' : 'above'} ${formatResidual(tolerance)}`;
    const hasFailed = this.app.isLive && (this.app.status.value?.failure ?? '') !== '';
    setShown(this.residualValue, receipt !== null);
    setText(this.residualText, receipt ? `${kMarks[verdict]} ${relation}` : hasFailed ? 'none, the first step failed' : 'after the first step');
    this.counter.update();
    const misses = this.counter.misses;
    setShown(this.misses, misses > 0);
    setText(this.misses, `${formatCount(misses)} missed`);
    if (!receipt) return;
    const parts = [
      'How far this step is from solving the contact law',
      `worst contact ${formatResidual(receipt.residual_worst)}`,
      `${formatCount(receipt.iterations)} iterations`,
    ];
    if (misses > 0) parts.push(`${formatCount(misses)} of ${formatCount(this.app.steps.count)} steps known here did not reach the tolerance`);
    setAttribute(this.residual, 'data-tip', parts.join(' · '));
  }
}
