// The list of keys and of what the mouse does. Made from the table that the keyboard uses, so it is right.
import type { App } from '../app';
import { kGroups, showKey } from './commands';
import type { Commands } from './commands';
import { h } from './dom';
import { icon } from './icons';
import type { UiState } from './ui_state';

const kMouse: [string, string, ('drag' | 'throw')?][] = [
  ['Left drag', 'Turn around the scene'],
  ['Right drag', 'Move the view'],
  ['Wheel', 'Nearer, farther'],
  ['Click', 'Select a body'],
  ['Shift click', 'Select one more'],
  ['Double click', 'Centre on a body'],
  ['Ctrl drag', 'Pull a body', 'drag'],
  ['Drag in a plot', 'Go to that time'],
  ['Click a value', 'Copy it'],
];

function row(keys: string[], label: string): HTMLElement {
  return h('div', { class: 'help-row' }, h('span', {}, label), h('span', { class: 'keys' }, ...keys.map((key) => h('kbd', {}, key))));
}

export class Help {
  private readonly body = h('div', { class: 'help-groups' });
  private before: HTMLElement | null = null;

  constructor(root: HTMLElement, private readonly app: App, private readonly commands: Commands, ui: UiState) {
    const close = (): void => void (ui.help.value = false);
    const button = h('button', { class: 'icon-button', type: 'button', 'aria-label': 'Close', onclick: close }, icon('close'));
    const card = h(
      'div',
      { class: 'panel help', role: 'dialog', 'aria-modal': 'true', 'aria-label': 'Keys and mouse', tabindex: '-1' },
      h('header', {}, h('h2', {}, 'Keys and mouse'), button),
      this.body,
    );
    const shade = h('div', { class: 'shade', hidden: true }, card);
    shade.addEventListener('click', (event) => {
      if (event.target === shade) close();
    });
    root.append(shade);
    ui.help.watch((isOpen) => {
      if (isOpen) this.fill();
      shade.hidden = !isOpen;
      if (isOpen) {
        this.before = document.activeElement as HTMLElement | null;
        card.focus();
      } else {
        card.blur(); // the browser would do so only when it draws again
        this.before?.focus();
      }
    });
  }

  private fill(): void {
    const groups = kGroups.map((group) => {
      const commands = this.commands.list.filter((c) => c.group === group && (c.isAvailable?.() ?? true));
      return h('section', {}, h('h3', {}, group), ...commands.map((c) => row(c.keys.filter((key) => key !== '=').map(showKey), c.label)));
    });
    const mouse = kMouse.filter(([, , ability]) => !ability || (this.app.isLive && this.app.can(ability)));
    groups.push(h('section', {}, h('h3', {}, 'Mouse'), ...mouse.map(([keys, label]) => row([keys], label))));
    this.body.replaceChildren(...groups);
  }
}
