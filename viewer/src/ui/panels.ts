// What surrounds the picture. This file lays the parts out; each part looks after itself.
import { missingText } from '../app';
import type { App } from '../app';
import { Banners } from './banners';
import { BodyList } from './body_list';
import { Commands } from './commands';
import { h, setAttribute, setShown, setText } from './dom';
import { Help } from './help';
import { InfoPanel } from './info_panel';
import { Inspector } from './inspector';
import { listenToKeys, returnFocusAfterClicks } from './keyboard';
import { rememberOptions } from './memory';
import { PlotDrawer } from './plot_drawer';
import type { StageFace } from './stage_face';
import { followTheme } from './theme';
import { Toasts } from './toasts';
import { Tooltip } from './tooltip';
import { TopBar } from './top_bar';
import { TouchPanel } from './touch_panel';
import { Transport } from './transport';
import { UiState } from './ui_state';
import { makeLegend, makeScaleText, ViewPanel } from './view_panel';
import { closeButton } from './widgets';

const kLongestWait = 4000; // ms, for a picture of a scene that is there

export class Panels {
  private readonly ui = new UiState();
  private readonly missing = h('div', { class: 'panel missing', role: 'status', hidden: true });
  private readonly view: ViewPanel;
  private readonly bodies: BodyList;
  private readonly inspector: Inspector;
  private readonly plots: PlotDrawer;
  private readonly info: InfoPanel;
  private readonly banners: Banners;
  private readonly top: TopBar;
  private readonly transport: Transport;

  constructor(root: HTMLElement, private readonly app: App, stage: StageFace) {
    rememberOptions(app);
    followTheme(app);
    const commands = new Commands(app, stage, this.ui);
    this.view = new ViewPanel(app, stage, commands);
    const touch = new TouchPanel(app, commands);
    this.bodies = new BodyList(app, commands, this.ui);
    this.inspector = new Inspector(app);
    this.plots = new PlotDrawer(app, commands, this.ui);
    this.info = new InfoPanel(app, stage, this.ui);
    this.banners = new Banners(app);

    this.top = new TopBar(root, app, commands, this.ui);
    const left = this.leftColumn(touch);
    const right = h('aside', { class: 'panel column right', 'aria-label': 'Bodies' },
      h('header', { class: 'panel-head' }, h('h2', {}, 'Bodies'), closeButton('Close', () => this.ui.toggle('right'))),
      this.bodies.element, this.inspector.element);
    const middle = h('div', { class: 'middle' },
      this.banners.element, new Toasts(app).element, this.info.element,
      h('div', { class: 'picture-foot' }, makeLegend(stage), this.missing, makeScaleText(stage)));
    root.append(left, middle, right, this.plots.element);
    this.transport = new Transport(root, app, commands, this.ui);
    root.append(this.banners.cover);
    new Help(root, app, commands, this.ui);
    new Tooltip(root);

    const showOpen = (): void => {
      const { ui } = this;
      const isBare = ui.isBare.value;
      setShown(left, !isBare && ui.left.value !== '');
      setShown(right, !isBare && ui.right.value);
      setShown(this.plots.element, !isBare && ui.plots.value);
      setShown(this.info.element, !isBare && ui.info.value);
    };
    for (const part of [this.ui.left, this.ui.right, this.ui.plots, this.ui.info, this.ui.isBare]) part.watch(showOpen);
    showOpen();
    stage.fitInto(() => middle.getBoundingClientRect()); // the canvas lies under all of the page
    listenToKeys(commands);
    returnFocusAfterClicks(root);
    this.waitForPicture(root, stage);
  }

  /** Once per drawn frame. Parts write only what changed. */
  update(seconds: number, scriptMs: number): void {
    this.banners.update();
    this.info.update(seconds, scriptMs);
    if (!this.app.scene.value) return;
    this.top.update();
    this.transport.update();
    if (this.ui.isBare.value) return;
    this.view.update();
    this.showMissing();
    if (this.ui.right.value) {
      this.bodies.update();
      this.inspector.update();
    }
    this.plots.update();
  }

  /**
   * They are laid out at once, so that the picture knows its room, but painted after it: a browser without a graphics
   * card needs as long for them as for the first picture.
   */
  private waitForPicture(root: HTMLElement, stage: StageFace): void {
    const show = (): void => root.classList.remove('waiting');
    root.classList.toggle('waiting', !stage.hasPicture.value);
    stage.hasPicture.watch(show);
    this.app.scene.watch(() => setTimeout(show, kLongestWait));
  }

  private showMissing(): void {
    const text = missingText(this.app);
    setText(this.missing, text);
    setShown(this.missing, text !== '');
  }

  /** View and, where the session accepts it, Change: one at a time, as tabs. */
  private leftColumn(touch: TouchPanel): HTMLElement {
    const { ui, app } = this;
    const tab = (which: 'view' | 'touch', name: string): HTMLElement =>
      h('button', { type: 'button', class: 'tab', role: 'tab', onclick: () => (ui.left.value = which) }, name);
    const tabs = [tab('view', 'View'), tab('touch', 'Change')];
    const parts = [this.view.element, touch.element];
    const show = (): void => {
      const canTouch = app.isLive && (app.scene.value?.hello.can.some((ability) => ability !== 'control') ?? false);
      const isTouch = canTouch && ui.left.value === 'touch';
      setShown(tabs[1], canTouch);
      [!isTouch, isTouch].forEach((isOn, k) => {
        setAttribute(tabs[k], 'aria-selected', String(isOn));
        setShown(parts[k], isOn);
      });
    };
    ui.left.watch(show);
    app.scene.bind(show);
    const head = h('header', { class: 'panel-head' }, h('div', { class: 'tabs', role: 'tablist' }, ...tabs), closeButton('Close', () => (ui.left.value = '')));
    return h('aside', { class: 'panel column left', 'aria-label': 'View and changes' }, head, ...parts);
  }
}
