// About this run, and what drawing it costs.
import type { App } from '../app';
import { gravityOf } from './body_state';
import { h, Pace, setText } from './dom';
import { formatCount, formatNumber, formatResidual, formatRough } from './format';
import { receiptAt, toleranceOf } from './receipts';
import type { StageFace } from './stage_face';
import type { UiState } from './ui_state';
import { closeButton } from './widgets';

export class InfoPanel {
  readonly element: HTMLElement;
  private readonly list = h('dl', { class: 'facts' });
  private readonly description = h('p', { class: 'subtle' });
  private readonly facts = new Map<string, HTMLElement>();
  private readonly pace = new Pace(300);
  private frames = 0;
  private script = 0;
  private seconds = 0;

  constructor(private readonly app: App, private readonly stage: StageFace, ui: UiState) {
    const close = closeButton('Close', () => ui.toggle('info'));
    this.element = h('aside', { class: 'panel info-panel', 'aria-label': 'About this run' },
      h('header', { class: 'panel-head' }, h('h2', {}, 'About this run'), close), this.description, this.list);
  }

  update(seconds: number, scriptMs: number): void {
    ++this.frames;
    this.script += scriptMs;
    this.seconds += seconds;
    if (!this.pace.isDue()) return;
    if (this.element.offsetParent !== null) this.show();
    this.frames = this.script = this.seconds = 0;
  }

  private show(): void {
    const { app } = this;
    const scene = app.scene.value;
    if (!scene) return;
    const { hello } = scene;
    const settings = app.status.value?.settings;
    const receipt = receiptAt(app, app.frame.value?.time ?? 0);
    setText(this.description, hello.scene.description);
    this.fact('Program', hello.program);
    this.fact('Bodies', `${formatCount(scene.bodies.length)}, ${formatCount(scene.moving.length)} moving`);
    if (scene.joints.length) this.fact('Joints', formatCount(scene.joints.length));
    this.fact('Step', `${formatNumber(1000 * hello.scene.step, 3)} ms`);
    this.fact('Gravity', `(${gravityOf(app).map((x) => Number(x.toPrecision(4))).join(', ')}) m/s²`.replace(/-/g, '−'));
    if (settings) this.fact('Solver', `${settings.solver}, ${settings.law}`);
    if (settings) this.fact('Tolerance', formatResidual(toleranceOf(app)));
    if (receipt) {
      this.fact('Iterations', formatCount(receipt.iterations));
      this.fact('Worst contact', formatResidual(receipt.residual_worst));
      this.fact('Penetration', `${formatNumber(1000 * receipt.penetration, 3)} mm`);
      this.fact('Energy', `${formatNumber(receipt.kinetic + receipt.potential, 6)} J`);
      if (scene.joints.length) this.fact('Joint error', `${formatNumber(1000 * receipt.joint_error, 3)} mm`);
    }
    this.fact('Frames', formatCount(app.timeline.count));
    if (app.isLive && app.status.value) this.fact('Viewers', formatCount(app.status.value.clients));
    this.fact('Page', `${formatRough(this.frames / this.seconds)} frames/s`);
    this.fact('Script', `${formatRough(this.script / Math.max(1, this.frames))} ms, drawing ${formatRough(this.stage.drawMs.value)} ms`);
  }

  private fact(name: string, text: string): void {
    let value = this.facts.get(name);
    if (!value) {
      value = h('dd', {});
      this.facts.set(name, value);
      this.list.append(h('dt', {}, name), value);
    }
    setText(value, text);
  }
}
