// What is drawn, and how: the switches of ViewOptions, the camera, pictures.
import type { App, Theme } from '../app';
import { COLOR_NAMES } from './commands';
import type { Commands, Switch } from './commands';
import { h, setAttribute, setShown, setText } from './dom';
import { setIcon } from './icons';
import type { StageFace } from './stage_face';
import { NumberField, section, segmented } from './widgets';

const kThemes: Record<Theme, string> = { auto: 'Auto', light: 'Light', dark: 'Dark' };

export class ViewPanel {
  readonly element: HTMLElement;
  private readonly switches = new Map<Switch, HTMLButtonElement>();
  private readonly videoText = h('span', {}, 'Video');
  private videoSince = 0;

  constructor(private readonly app: App, private readonly stage: StageFace, private readonly commands: Commands) {
    const colors = segmented('Colour by', COLOR_NAMES, (value) => app.setOption('colorBy', value));
    setAttribute(colors.element, 'data-tip', 'What the colours of bodies mean');
    setAttribute(colors.element, 'data-keys', 'K');
    const themes = segmented('Theme', kThemes, (value) => app.setOption('theme', value));
    this.element = h(
      'div', { class: 'scroll' },
      section('Show', this.toggle('contacts'), this.toggle('forces'), this.forceControls(), this.toggle('joints'),
        this.toggle('centers'), this.toggle('boxes'), this.toggle('trails'), this.toggle('names'), this.toggle('grid')),
      section('Bodies', colors.element, this.toggle('wireframe'), this.toggle('transparent'), this.toggle('shadows')),
      section('Camera', this.cameraButtons(), this.toggle('orthographic'), this.toggle('follow')),
      section('Page', this.keepButtons(), themes.element),
    );
    app.options.bind((options) => {
      for (const [name, button] of this.switches) setAttribute(button, 'aria-checked', String(options[name]));
      colors.show(options.colorBy);
      themes.show(options.theme);
    });
    app.scene.bind((scene) => setShown(this.switches.get('joints')!, (scene?.joints.length ?? 0) > 0));
  }

  update(): void {
    if (!this.stage.isRecordingVideo.value) return;
    const seconds = Math.floor((performance.now() - this.videoSince) / 1000);
    setText(this.videoText, `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`);
  }

  private toggle(name: Switch): HTMLButtonElement {
    const { label, keys } = this.commands.get(name);
    const button = h(
      'button',
      { class: 'switch-row', type: 'button', role: 'switch', 'aria-checked': 'false', 'data-switch': name, onclick: () => this.app.toggle(name) },
      h('span', { class: 'switch-label' }, label), h('kbd', {}, keys[0]), h('span', { class: 'switch' }),
    );
    this.switches.set(name, button);
    return button;
  }

  /** Only while there are arrows to scale. */
  private forceControls(): HTMLElement {
    const { app } = this;
    // Logarithmic, from a tenth to ten times the automatic length.
    const scale = h('input', { type: 'range', min: '-1', max: '1', step: '0.05', 'aria-label': 'Length of force arrows' });
    const scaleText = h('span', { class: 'range-value' });
    scale.addEventListener('input', () => app.setOption('forceScale', 10 ** Number(scale.value)));
    const threshold = new NumberField({
      label: 'Weakest force shown', unit: 'N', tip: 'Weaker forces are not drawn',
      check: (value) => (value >= 0 ? '' : 'Must not be negative'),
      commit: (value) => app.setOption('forceThreshold', value),
    });
    const element = h(
      'div', { class: 'nested' },
      h('label', { class: 'line', 'data-tip': 'Times the automatic length. Forces far stronger than all others have arrows that are cut' }, h('span', {}, 'Length'), scale, scaleText),
      h('div', { class: 'line' }, h('span', {}, 'Weakest'), threshold.element),
    );
    app.options.bind((options) => {
      setShown(element, options.forces);
      const exponent = String(Math.round(20 * Math.log10(options.forceScale)) / 20);
      if (scale.value !== exponent) scale.value = exponent;
      setText(scaleText, `${options.forceScale.toPrecision(2)}×`);
      threshold.show(options.forceThreshold);
    });
    return element;
  }

  private cameraButtons(): HTMLElement {
    const views: [string, string][] = [['x', 'X'], ['y', 'Y'], ['z', 'Z'], ['-x', '−X'], ['-y', '−Y'], ['-z', '−Z']];
    const axes = views.map(([axis, text]) => this.commands.button(`view ${axis}`, text, `text-button axis-${axis.at(-1)}`));
    const fit = this.commands.button('fit', 'fit', 'text-button');
    fit.append('Fit');
    const oblique = this.commands.button('view oblique', 'Oblique', 'text-button');
    return h('div', { class: 'camera-grid' }, fit, ...axes.slice(0, 3), oblique, ...axes.slice(3));
  }

  private keepButtons(): HTMLElement {
    const picture = this.commands.button('picture', 'camera', 'text-button');
    picture.append('Picture');
    const video = this.commands.button('video', 'video', 'text-button video-button');
    video.append(this.videoText);
    this.stage.isRecordingVideo.bind((isRecording) => {
      this.videoSince = performance.now();
      video.classList.toggle('recording', isRecording);
      setIcon(video, isRecording ? 'stop' : 'video');
      setText(this.videoText, isRecording ? '0:00' : 'Video');
    });
    return h('div', { class: 'button-row' }, picture, video);
  }
}

/** What the colours mean: over the picture, because it belongs to it. */
export function makeLegend(stage: StageFace): HTMLElement {
  const title = h('span', { class: 'legend-title' });
  const bar = h('span', { class: 'legend-bar' });
  const ends = [h('span', {}), h('span', {}), h('span', {})];
  const legend = h('div', { class: 'panel legend', hidden: true }, title, bar, h('span', { class: 'legend-ends' }, ...ends));
  stage.colorLegend.bind((colors) => {
    setShown(legend, colors !== null);
    if (!colors) return;
    const { lower, upper, isLogarithmic } = colors;
    const middle = isLogarithmic ? Math.sqrt(lower * upper) : (lower + upper) / 2;
    setText(title, colors.unit ? `${colors.label}, ${colors.unit}` : colors.label);
    const paint = `linear-gradient(to right, ${colors.stops.join(', ')})`;
    if (bar.style.background !== paint) bar.style.background = paint;
    [lower, middle, upper].forEach((value, k) => setText(ends[k], shortNumber(value)));
  });
  return legend;
}

function shortNumber(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  const text = size >= 1e-2 && size < 1e4 ? String(Number(value.toPrecision(2))) : value.toExponential(0).replace('e+', 'e');
  return text.replace(/-/g, '−');
}

export function makeScaleText(stage: StageFace): HTMLElement {
  const element = h('div', { class: 'scale-text', hidden: true, 'data-tip': 'The distance between two neighbouring lines of the grid, on the ground' });
  stage.scaleText.bind((text) => {
    setText(element, text);
    setShown(element, text !== '');
  });
  return element;
}

