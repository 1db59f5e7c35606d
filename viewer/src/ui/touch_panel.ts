// Changing a simulation that runs: gravity, solver, materials, parameters. Only what the session accepts.
import type { App } from '../app';
import type { Settings, Vec3 } from '../protocol';
import type { SceneTable } from '../scene_table';
import type { Commands } from './commands';
import { h, setAttribute, setShown } from './dom';
import { icon } from './icons';
import { fillSelect, NumberField, section, showChoice } from './widgets';

const kWorlds: [string, number][] = [['Earth', 9.81], ['Mars', 3.72], ['Moon', 1.62], ['Zero', 0]]; // m/s²

const kFriction = (value: number): string => (value >= 0 ? '' : 'Must be 0 or more');
const kRestitution = (value: number): string => (value >= 0 && value <= 1 ? '' : 'Must be from 0 to 1');

export class TouchPanel {
  readonly element = h('div', { class: 'scroll touch' });
  /** Each brings its fields up to date with what the program has. */
  private followers: ((settings: Settings) => void)[] = [];

  constructor(private readonly app: App, private readonly commands: Commands) {
    app.scene.bind((scene) => this.build(scene));
    app.status.watch(() => this.follow());
  }

  private follow(): void {
    const settings = this.app.status.value?.settings;
    if (settings) for (const follower of this.followers) follower(settings);
  }

  private build(scene: SceneTable | null): void {
    this.followers = [];
    this.element.replaceChildren();
    if (!scene || !this.app.isLive) return;
    const can = this.app.can.bind(this.app);
    const parts = [
      can('drag') || can('throw') ? this.handSection() : null,
      can('set') ? this.gravitySection(scene) : null,
      can('set') ? this.solverSection(scene) : null,
      can('set') ? this.materialSection(scene) : null,
      can('restart') ? this.restartSection(scene) : null,
    ];
    for (const part of parts) if (part) this.element.append(part);
    this.follow();
  }

  private handSection(): HTMLElement {
    const hint = h('p', { class: 'subtle' }, h('kbd', {}, 'Ctrl'), ' + drag pulls a body on a spring.');
    setShown(hint, this.app.can('drag'));
    const ball = this.commands.button('throw', 'ball', 'text-button wide');
    ball.append('Throw a ball', h('kbd', {}, 'B'));
    setShown(ball, this.app.can('throw'));
    return section('By hand', ball, hint);
  }

  private gravitySection(scene: SceneTable): HTMLElement {
    let gravity: Vec3 = scene.hello.scene.gravity;
    const send = (next: Vec3): void => this.app.send({ type: 'set', gravity: next });
    const fields = (['x', 'y', 'z'] as const).map((axis, d) =>
      new NumberField({
        label: `Gravity ${axis}, m/s²`, prefix: axis,
        commit: (value) => {
          gravity = gravity.map((old, k) => (k === d ? value : old)) as Vec3;
          send(gravity);
        },
      }),
    );
    // Down is where the scene's own gravity points.
    const own = scene.hello.scene.gravity;
    const length = Math.hypot(...own);
    const down: Vec3 = length > 0 ? (own.map((x) => x / length) as Vec3) : scene.hello.scene.planar ? [0, -1, 0] : [0, 0, -1];
    const presets = kWorlds.map(([name, size]) =>
      h('button', {
        type: 'button', class: 'text-button', 'data-tip': `${size} m/s²`,
        onclick: () => send(down.map((x) => (x === 0 ? 0 : Number((size * x).toPrecision(12)))) as Vec3),
      }, name),
    );
    this.followers.push((settings) => {
      gravity = settings.gravity;
      fields.forEach((field, d) => field.show(gravity[d]));
    });
    return section('Gravity', h('div', { class: 'three' }, ...fields.map((field) => field.element)), h('div', { class: 'button-row' }, ...presets));
  }

  private solverSection(scene: SceneTable): HTMLElement {
    const { solvers } = scene.hello;
    const solver = h('select', { 'aria-label': 'Solver' });
    const law = h('select', { 'aria-label': 'Contact law' });
    fillSelect(solver, solvers.map((s) => s.name));
    const lawsOf = (name: string): string[] => solvers.find((s) => s.name === name)?.laws ?? scene.hello.laws;
    solver.addEventListener('change', () => {
      const laws = lawsOf(solver.value);
      // The law stays if the new solver solves it.
      const message = laws.includes(law.value) ? {} : { law: laws[0] };
      this.app.send({ type: 'set', solver: solver.value, ...message });
    });
    law.addEventListener('change', () => this.app.send({ type: 'set', law: law.value }));
    const tolerance = new NumberField({
      label: 'Tolerance', tip: 'The residual at which a step counts as solved',
      check: (value) => (value > 0 && value < 1 ? '' : 'Must be between 0 and 1, such as 1e-6'),
      commit: (value) => this.app.send({ type: 'set', tolerance: value }),
    });
    this.followers.push((settings) => {
      showChoice(solver, settings.solver);
      fillSelect(law, lawsOf(settings.solver));
      showChoice(law, settings.law);
      tolerance.show(settings.tolerance);
    });
    const line = (name: string, control: HTMLElement): HTMLElement => h('label', { class: 'line' }, h('span', {}, name), control);
    return section('Solver', line('Solver', solver), line('Law', law), h('div', { class: 'line' }, h('span', {}, 'Tolerance'), tolerance.element));
  }

  private materialSection(scene: SceneTable): HTMLElement {
    const body = h('div', { class: 'material-table' });
    const materials = this.app.status.value?.settings.materials ?? scene.hello.materials;
    const pairs = this.app.status.value?.settings.pairs ?? scene.hello.pairs;
    body.append(h('span', {}), h('span', { class: 'column' }, 'friction'), h('span', { class: 'column' }, 'restitution'));
    materials.forEach(({ name }, k) => {
      this.materialRow(body, name, (value) => this.app.send({ type: 'set', material: { name, ...value } }), (s) => s.materials[k]);
    });
    pairs.forEach(({ a, b }, k) => {
      this.materialRow(body, `${a} – ${b}`, (value) => this.app.send({ type: 'set', pair: { a, b, ...value } }), (s) => s.pairs[k]);
    });
    return section('Materials', body);
  }

  private materialRow(
    body: HTMLElement,
    name: string,
    send: (value: { friction?: number; restitution?: number }) => void,
    find: (settings: Settings) => { friction: number; restitution: number } | undefined,
  ): void {
    const friction = new NumberField({ label: `Friction of ${name}`, check: kFriction, commit: (value) => send({ friction: value }) });
    const restitution = new NumberField({ label: `Restitution of ${name}`, check: kRestitution, commit: (value) => send({ restitution: value }) });
    body.append(h('span', { class: 'name', title: name }, name), friction.element, restitution.element);
    this.followers.push((settings) => {
      const now = find(settings);
      if (!now) return;
      friction.show(now.friction);
      restitution.show(now.restitution);
    });
  }

  private restartSection(scene: SceneTable): HTMLElement {
    const wished = new Map<string, number>(); // typed and not yet used
    const button = h('button', { type: 'button', class: 'text-button wide', 'data-tip': 'The scene made anew with these parameters' }, icon('reset'), 'Restart');
    const showWish = (): void => setAttribute(button, 'data-wanted', wished.size ? 'true' : null);
    const lines = scene.hello.parameters.map(({ name, help, value }) => {
      const field = new NumberField({
        label: name,
        commit: (next) => {
          wished.set(name, next);
          showWish();
        },
      });
      field.show(value);
      this.followers.push((settings) => {
        const now = settings.parameters.find((parameter) => parameter.name === name);
        if (now && !wished.has(name)) field.show(now.value);
      });
      return { name, field, element: h('div', { class: 'parameter' }, h('div', { class: 'line' }, h('span', { class: 'name' }, name), field.element), help ? h('p', { class: 'subtle' }, help) : null) };
    });
    button.addEventListener('click', () => {
      const isWrong = lines.some(({ field }) => field.input.getAttribute('aria-invalid') === 'true');
      if (isWrong) return;
      const parameters = Object.fromEntries(lines.map(({ name, field }) => [name, field.value]));
      wished.clear();
      showWish();
      this.app.send({ type: 'restart', parameters });
    });
    return section('Parameters', ...lines.map(({ element }) => element), button);
  }
}
