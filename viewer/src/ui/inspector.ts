// The selected body in numbers.
import type { App } from '../app';
import type { Vec3 } from '../protocol';
import type { BodyInfo, SceneTable } from '../scene_table';
import { axisAngle, bodyState, dot, gravityOf, rollPitchYaw, rotate } from './body_state';
import type { BodyState } from './body_state';
import { ContactRows } from './contact_rows';
import { copyText, h, Pace, setAttribute, setShown, setText } from './dom';
import { formatNumber } from './format';
import { closeButton } from './widgets';

const kPace = 80; // ms; faster than this nobody reads

export class Inspector {
  readonly element: HTMLElement;
  private readonly title = h('h2', {});
  private readonly kind = h('span', { class: 'tag' });
  private readonly source = h('span', { class: 'tag', 'data-field': 'source' });
  private readonly material = h('p', { class: 'subtle' });
  private readonly others = h('div', { class: 'chips' });
  private readonly turn = h('span', { class: 'subtle turn' });
  private readonly values = new Map<string, HTMLElement>();
  private readonly contacts: ContactRows;
  private readonly empty = h('div', { class: 'empty' }, 'Click a body in the picture or in the list.');
  private readonly body: HTMLElement;
  private readonly pace = new Pace(kPace);
  private isDirty = true;

  constructor(private readonly app: App) {
    this.contacts = new ContactRows(app);
    this.body = h(
      'div', { class: 'inspector-body' },
      h('header', { class: 'inspector-head' }, this.title, this.kind, this.source, closeButton('Select nothing', () => app.select(null))),
      this.others,
      this.material,
      this.vector('Position', 'm', 'position', 'Of the body frame'),
      this.vector('Velocity', 'm/s', 'velocity', 'Of the centre of mass'),
      this.vector('Angular velocity', 'rad/s', 'spin', 'In world axes'),
      this.vector('Net contact force', 'N', 'force', 'Sum of the contact forces on this body'),
      this.vector('Orientation', 'w x y z', 'orientation', 'Quaternion from body to world', ['w', 'x', 'y', 'z']),
      this.vector('Roll, pitch, yaw', '°', 'angles', 'Turns about the fixed x, then y, then z'),
      this.turn,
      h(
        'div', { class: 'scalars' },
        this.scalar('Mass', 'kg', 'mass'),
        this.scalar('Speed', 'm/s', 'speed'),
        this.scalar('Kinetic energy', 'J', 'energy.kinetic', '½ m v², of the translation only: the inertia that rotation needs is not sent'),
        this.scalar('Potential energy', 'J', 'energy.potential', '−m g·x of the centre of mass; zero at the origin'),
      ),
      this.contacts.element,
    );
    this.element = h('div', { class: 'inspector scroll', 'aria-label': 'Selected body' }, this.empty, this.body);
    this.element.addEventListener('click', (event) => void this.copy(event));
    const dirty = (): void => void (this.isDirty = true);
    for (const part of [app.frame, app.status]) (part as typeof app.frame).watch(dirty);
    app.trackChanged.watch(dirty);
    const now = (): void => {
      dirty();
      this.pace.interval = 0; // a choice is answered at once
    };
    app.selection.watch(now);
    app.scene.watch(now);
  }

  update(): void {
    if (!this.isDirty || !this.pace.isDue()) return;
    this.pace.interval = kPace;
    this.isDirty = false;
    const { app } = this;
    const body = app.selection.value.at(-1);
    const scene = app.scene.value;
    const info = body === undefined ? undefined : scene?.bodies[body];
    setShown(this.empty, !info);
    setShown(this.body, info !== undefined);
    if (!scene || !info || body === undefined) return;
    this.showHead(scene, info, body);
    this.showState(info, bodyState(app, body));
    this.contacts.show(body);
  }

  private showHead(scene: SceneTable, info: BodyInfo, body: number): void {
    setText(this.title, info.name || `body ${body}`);
    setAttribute(this.title, 'title', `${info.name}, body ${body}`);
    setText(this.kind, info.motion);
    const materials = this.app.status.value?.settings.materials ?? scene.hello.materials;
    const material = materials[info.material] ?? scene.hello.materials[info.material];
    setText(this.material, material ? `Material ${material.name} · friction ${material.friction} · restitution ${material.restitution}${material.compliance > 0 ? ` · compliance ${material.compliance} m/N` : ''}` : '');
    this.showOthers(scene);
  }

  private showOthers(scene: SceneTable): void {
    const bodies = this.app.selection.value;
    const key = bodies.join();
    if (this.others.dataset.bodies === key) return;
    this.others.dataset.bodies = key;
    setShown(this.others, bodies.length > 1);
    const chips = bodies.slice(0, -1).reverse().map((body) =>
      h('button', {
        type: 'button', class: 'chip', 'data-tip': 'Show this one',
        onclick: () => (this.app.selection.value = [...bodies.filter((other) => other !== body), body]),
        title: scene.bodies[body]?.name,
      }, scene.bodies[body]?.name ?? String(body)),
    );
    this.others.replaceChildren(h('span', { class: 'subtle' }, 'also'), ...chips);
  }

  private showState(info: BodyInfo, state: BodyState | null): void {
    const unknown: Vec3 = [NaN, NaN, NaN];
    const velocity = state?.velocity ?? unknown;
    const position = state?.position ?? unknown;
    const q = state?.orientation ?? [NaN, NaN, NaN, NaN];
    this.showVector('position', position);
    this.showVector('velocity', velocity);
    this.showVector('spin', state?.spin ?? unknown);
    this.showVector('force', state?.force ?? unknown);
    ['w', 'x', 'y', 'z'].forEach((axis, k) => this.showValue(`orientation.${axis}`, q[k]));
    this.showVector('angles', state ? rollPitchYaw(state.orientation) : unknown);
    const { angle, axis } = axisAngle(q as BodyState['orientation']);
    setText(this.turn, state ? `${formatNumber(angle, 5)}° about (${axis.map((x) => formatNumber(x, 3)).join(', ')})` : '');
    const speed = Math.hypot(...velocity);
    const hasMass = info.motion === 'dynamic';
    this.showValue('mass', hasMass ? info.mass : NaN);
    this.showValue('speed', speed);
    this.showValue('energy.kinetic', hasMass ? 0.5 * info.mass * speed * speed : NaN);
    const center = state ? rotate(state.orientation, info.centerOfMass) : unknown;
    const height = -dot(gravityOf(this.app), position.map((x, d) => x + center[d]) as Vec3);
    this.showValue('energy.potential', hasMass ? info.mass * height : NaN);
    setText(this.source, !state ? 'loading' : state.isExact ? 'all digits' : '7 digits');
    setAttribute(this.source, 'data-tip', !state || state.isExact
      ? 'Numbers of 64 bits, as the program has them; click one to copy all its digits'
      : 'Numbers of 32 bits, as the picture has them; from the selection on, all digits come');
  }

  private showVector(name: string, value: Vec3): void {
    this.showValue(`${name}.x`, value[0]);
    this.showValue(`${name}.y`, value[1]);
    this.showValue(`${name}.z`, value[2]);
  }

  private showValue(field: string, value: number): void {
    const element = this.values.get(field)!;
    const raw = Number.isNaN(value) ? '' : String(value);
    if (element.dataset.value === raw) return;
    element.dataset.value = raw;
    setText(element, formatNumber(value));
    setAttribute(element, 'title', raw || null);
  }

  private value(field: string, label: string): HTMLElement {
    const element = h('button', { type: 'button', class: 'value', 'data-field': field, 'aria-label': `Copy ${label}` }, '–');
    this.values.set(field, element);
    return element;
  }

  private vector(label: string, unit: string, field: string, tip: string, axes = ['x', 'y', 'z']): HTMLElement {
    const values = axes.map((axis) =>
      h('span', { class: 'component' }, h('span', { class: `axis axis-${axis}` }, axis), this.value(`${field}.${axis}`, `${label} ${axis}`)),
    );
    const head = h('div', { class: 'quantity-head' }, h('span', { 'data-tip': tip }, label), h('span', { class: 'unit' }, unit));
    return h('div', { class: 'quantity' }, head, h('div', { class: `components of-${axes.length}` }, ...values));
  }

  private scalar(label: string, unit: string, field: string, tip?: string): HTMLElement {
    const head = h('div', { class: 'quantity-head' }, h('span', { 'data-tip': tip }, label), h('span', { class: 'unit' }, unit));
    return h('div', { class: 'quantity' }, head, this.value(field, label));
  }

  private async copy(event: Event): Promise<void> {
    const value = (event.target as Element).closest<HTMLElement>('.value')?.dataset.value;
    if (!value) return;
    const isCopied = await copyText(value);
    this.app.note(isCopied ? `Copied ${value}` : 'The browser does not let the page copy', isCopied ? 'info' : 'error');
  }
}
