// Elements in one expression, and writes that happen only on change: a write costs layout even when nothing changed.

export type Child = Node | string | null | undefined | false;

export interface Props {
  class?: string;
  [name: string]: unknown; // attributes; `onclick` and the like are listeners
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Null takes the attribute away. */
export function setAttribute(element: Element, name: string, value: string | null): void {
  if (element.getAttribute(name) === value) return;
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

export function setShown(element: HTMLElement, isShown: boolean): void {
  if (element.hidden === isShown) element.hidden = !isShown;
}

/** Lets something happen at most once per interval, however often it is asked for. */
export class Pace {
  private last = -Infinity;

  constructor(public interval: number) {} // ms

  isDue(now = performance.now()): boolean {
    if (now - this.last < this.interval) return false;
    this.last = now;
    return true;
  }
}

export function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  h('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** The clipboard of the browser exists on secure origins only; the old way works on every page. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h('textarea', { class: 'off-screen' });
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    return isCopied;
  }
}
