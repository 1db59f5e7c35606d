// Keys to commands.
import type { Commands } from './commands';

/** The name of a key as the table of commands writes it, such as Shift+X. */
export function keyName(event: KeyboardEvent): string {
  const { key } = event;
  if (key === ' ') return 'Space';
  const isLetter = /^\p{L}$/u.test(key);
  const isSign = key.length === 1 && !isLetter; // its Shift, if any, was needed to type it
  const name = isLetter ? key.toUpperCase() : key;
  return event.shiftKey && !isSign ? `Shift+${name}` : name;
}

function isTypedInto(element: Element): boolean {
  return element.matches('input:not([type=range]):not([type=checkbox]), textarea, select, [contenteditable]');
}

/** Keys that an element with the focus needs for itself. */
function isTaken(element: Element, key: string): boolean {
  if (key === 'Space' || key === 'Enter') return element.matches('button, a, summary');
  if (key === 'Tab') return element !== document.body && !element.matches('canvas');
  if (/^(Shift\+)?(Arrow|Home|End)/.test(key)) return element.matches('input[type=range], [role=listbox], [role=radio]');
  return false;
}

export function listenToKeys(commands: Commands): void {
  const byKey = new Map(commands.list.flatMap((command) => command.keys.map((key) => [key, command] as const)));
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    const target = document.activeElement ?? document.body;
    const key = keyName(event);
    if (isTypedInto(target)) {
      if (key === 'Escape') (target as HTMLElement).blur();
      if (!/^F\d+$/.test(key)) return;
    }
    if (isTaken(target, key)) return;
    const command = byKey.get(key);
    if (!command) return;
    event.preventDefault();
    commands.run(command.id);
  });
}

/**
 * A button that was clicked with the mouse gives the focus back: otherwise Space would press it again
 * instead of playing. Who came with the keyboard keeps the focus.
 */
export function returnFocusAfterClicks(root: HTMLElement): void {
  const release = (): void => {
    const active = document.activeElement as HTMLElement | null;
    if (active && root.contains(active) && !isTypedInto(active)) active.blur();
  };
  root.addEventListener('click', (event) => {
    if (event.detail > 0) release();
  });
  root.addEventListener('pointerup', (event) => {
    if ((event.target as Element).matches('input[type=range], [role=slider]')) release();
  });
  // A menu reports every change, also by arrow keys, in the middle of choosing.
  let isPointer = false;
  addEventListener('pointerdown', () => void (isPointer = true), true);
  addEventListener('keydown', () => void (isPointer = false), true);
  root.addEventListener('change', (event) => {
    if (isPointer && (event.target as Element).matches('select')) (event.target as HTMLElement).blur();
  });
}
