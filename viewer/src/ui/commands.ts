// Everything that has a key: one table, from which the keyboard, the help and the tooltips are made.
import type { App, ColorBy, Theme } from '../app';
import { download, h } from './dom';
import { icon } from './icons';
import type { IconName } from './icons';
import type { StageFace, ViewAxis } from './stage_face';
import type { UiState } from './ui_state';

export const kGroups = ['Time', 'Show', 'Camera', 'Panels', 'Touch and keep'] as const;

export interface Command {
  id: string;
  group: (typeof kGroups)[number];
  label: string;
  /** As keyName() writes them; the first one is shown in tooltips. */
  keys: readonly string[];
  run(): void;
  /** False: not in this session; it is then not in the help either. */
  isAvailable?(): boolean;
}

export const COLOR_NAMES: Record<ColorBy, string> = { body: 'Body', speed: 'Speed', force: 'Force', residual: 'Residual' };
const kThemes: Theme[] = ['auto', 'light', 'dark'];

export type Switch =
  | 'contacts' | 'forces' | 'joints' | 'boxes' | 'centers' | 'trails' | 'names' | 'wireframe' | 'transparent'
  | 'shadows' | 'grid' | 'orthographic' | 'follow';

const kSwitches: [Switch, string, string, Command['group']][] = [
  ['contacts', 'Contact points', 'C', 'Show'],
  ['forces', 'Contact forces', 'F', 'Show'],
  ['joints', 'Joints', 'J', 'Show'],
  ['centers', 'Centres of mass', 'M', 'Show'],
  ['boxes', 'Bounding boxes', 'O', 'Show'],
  ['trails', 'Trails of the selected', 'R', 'Show'],
  ['names', 'Names', 'N', 'Show'],
  ['wireframe', 'Wireframe', 'W', 'Show'],
  ['transparent', 'Transparent', 'T', 'Show'],
  ['shadows', 'Shadows', 'H', 'Show'],
  ['grid', 'Grid', 'G', 'Show'],
  ['orthographic', 'Orthographic', 'P', 'Camera'],
  ['follow', 'Follow the selected', 'Q', 'Camera'],
];

const kViews: [ViewAxis, string, string][] = [
  ['x', 'Look along x', 'X'],
  ['-x', 'Look along x from the other side', 'Shift+X'],
  ['y', 'Look along y', 'Y'],
  ['-y', 'Look along y from the other side', 'Shift+Y'],
  ['z', 'Look along z', 'Z'],
  ['-z', 'Look along z from the other side', 'Shift+Z'],
  ['oblique', 'Oblique view', 'V'],
];

export class Commands {
  readonly list: readonly Command[];
  private readonly byId = new Map<string, Command>();

  constructor(
    private readonly app: App,
    private readonly stage: StageFace,
    private readonly ui: UiState,
  ) {
    this.list = [...this.time(), ...this.show(), ...this.camera(), ...this.panels(), ...this.touch()];
    for (const command of this.list) this.byId.set(command.id, command);
  }

  get(id: string): Command {
    return this.byId.get(id)!;
  }

  run(id: string): void {
    const command = this.get(id);
    if (command.isAvailable?.() ?? true) command.run();
  }

  /** Attributes that explain a control: its name, and its key in the tooltip. */
  attributes(id: string): Record<string, string> {
    const { label, keys } = this.get(id);
    return { 'aria-label': label, 'data-tip': label, 'data-keys': keys.slice(0, 1).map(showKey).join(' ') };
  }

  button(id: string, image: IconName | string, className = 'icon-button'): HTMLButtonElement {
    const inside = /^[A-Z−]/.test(image) ? image : icon(image as IconName);
    const onclick = (): void => this.run(id);
    return h('button', { class: className, type: 'button', onclick, ...this.attributes(id) }, inside);
  }

  private time(): Command[] {
    const { player } = this.app;
    const group = 'Time';
    const canSteer = (): boolean => !this.app.isLive || this.app.can('control') || !player.following.value;
    return [
      { id: 'play', group, label: 'Play or pause', keys: ['Space'], run: () => player.toggle(), isAvailable: canSteer },
      { id: 'back', group, label: 'Step back', keys: ['ArrowLeft'], run: () => player.step(-1) },
      { id: 'forward', group, label: 'Step forward', keys: ['ArrowRight'], run: () => player.step(1), isAvailable: canSteer },
      { id: 'back10', group, label: '10 steps back', keys: ['Shift+ArrowLeft'], run: () => player.step(-10) },
      { id: 'forward10', group, label: '10 steps forward', keys: ['Shift+ArrowRight'], run: () => player.step(10), isAvailable: canSteer },
      { id: 'faster', group, label: 'Faster', keys: ['+', '='], run: () => player.changeSpeed(1), isAvailable: canSteer },
      { id: 'slower', group, label: 'Slower', keys: ['-'], run: () => player.changeSpeed(-1), isAvailable: canSteer },
      { id: 'reset', group, label: 'Back to the start', keys: ['Backspace'], run: () => player.reset() },
      { id: 'first', group, label: 'First frame', keys: ['Home'], run: () => player.seek(0) },
      { id: 'last', group, label: 'Last frame', keys: ['End'], run: () => player.goLive() },
      { id: 'live', group, label: 'Return to the present', keys: ['L'], run: () => player.goLive(), isAvailable: () => this.app.isLive },
      { id: 'loop', group, label: 'Play again at the end', keys: ['Shift+L'], run: () => this.ui.toggle('loop'), isAvailable: () => !this.app.isLive },
    ];
  }

  private show(): Command[] {
    const colors = Object.keys(COLOR_NAMES) as ColorBy[];
    const cycle = (): void => {
      const next = colors[(colors.indexOf(this.app.options.value.colorBy) + 1) % colors.length];
      this.app.setOption('colorBy', next);
      this.app.note(`Colour by ${COLOR_NAMES[next].toLowerCase()}`);
    };
    return [
      ...this.switches('Show'),
      { id: 'color', group: 'Show', label: 'Next colour (body, speed, force, residual)', keys: ['K'], run: cycle },
    ];
  }

  private switches(which: Command['group']): Command[] {
    return kSwitches
      .filter(([, , , group]) => group === which)
      .map(([id, label, key, group]) => ({
        id,
        group,
        label,
        keys: [key],
        run: () => this.app.toggle(id),
        isAvailable: id === 'joints' ? () => (this.app.scene.value?.joints.length ?? 0) > 0 : undefined,
      }));
  }

  private camera(): Command[] {
    const group = 'Camera';
    const views = kViews.map(([axis, label, key]) => ({
      id: `view ${axis}`, group, label, keys: [key], run: () => this.stage.lookAlong(axis),
    })) as Command[];
    return [
      { id: 'fit', group, label: 'Everything in view', keys: ['A'], run: () => this.stage.fit() },
      ...views,
      ...this.switches(group),
    ];
  }

  private panels(): Command[] {
    const { ui, app } = this;
    const group = 'Panels';
    const nextTheme = (): void =>
      app.setOption('theme', kThemes[(kThemes.indexOf(app.options.value.theme) + 1) % kThemes.length]);
    const canTouch = (): boolean => app.isLive && (app.scene.value?.hello.can.some((a) => a !== 'control') ?? false);
    return [
      { id: 'help', group, label: 'Keys and mouse', keys: ['?', 'F1'], run: () => (ui.help.value = !ui.help.value) },
      { id: 'bare', group, label: 'All panels on or off', keys: ['Tab'], run: () => (ui.isBare.value = !ui.isBare.value) },
      { id: 'panel view', group, label: 'View', keys: ['I'], run: () => ui.toggleLeft('view') },
      { id: 'panel touch', group, label: 'Change the simulation', keys: ['E'], run: () => ui.toggleLeft('touch'), isAvailable: canTouch },
      { id: 'panel bodies', group, label: 'Bodies', keys: ['U'], run: () => ui.toggle('right') },
      { id: 'search', group, label: 'Find a body', keys: ['/'], run: () => ui.search() },
      { id: 'plots', group, label: 'Plots', keys: ['D', 'F4'], run: () => ui.toggle('plots') },
      { id: 'info', group, label: 'About this run', keys: ['F2'], run: () => ui.toggle('info') },
      { id: 'theme', group, label: 'Light, dark or as the system', keys: ['Shift+T'], run: nextTheme },
      { id: 'escape', group, label: 'Close, or select nothing', keys: ['Escape'], run: () => this.escape() },
    ];
  }

  private touch(): Command[] {
    const group = 'Touch and keep';
    return [
      { id: 'throw', group, label: 'Throw a ball', keys: ['B'], run: () => this.stage.throwBall(), isAvailable: () => this.app.isLive && this.app.can('throw') },
      { id: 'picture', group, label: 'Save a picture', keys: ['S'], run: () => void this.savePicture() },
      { id: 'video', group, label: 'Start or stop a video', keys: ['Shift+S'], run: () => void this.toggleVideo() },
    ];
  }

  private escape(): void {
    if (this.ui.help.value) this.ui.help.value = false;
    else this.app.select(null);
  }

  private async savePicture(): Promise<void> {
    try {
      download(await this.stage.picture(), `${this.fileName()}.png`);
    } catch (error) {
      this.app.note(`The picture could not be made: ${String(error)}`, 'error');
    }
  }

  private async toggleVideo(): Promise<void> {
    try {
      if (!this.stage.isRecordingVideo.value) this.stage.startVideo();
      else download(await this.stage.stopVideo(), `${this.fileName()}.webm`);
    } catch (error) {
      this.app.note(`The video could not be made: ${String(error)}`, 'error');
    }
  }

  /** The scene and the time shown. */
  fileName(): string {
    const name = (this.app.scene.value?.hello.scene.name ?? 'scree').replace(/[^\w.-]+/g, '_');
    return `${name}_${(this.app.frame.value?.time ?? 0).toFixed(3)}s`;
  }
}

const kShown: Record<string, string> = {
  ArrowLeft: '←', ArrowRight: '→', Escape: 'Esc', '-': '−',
};

export function showKey(key: string): string {
  return key.split(/(?<=.)\+(?=.)/).map((part) => kShown[part] ?? part).join(' ');
}
