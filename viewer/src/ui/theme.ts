// Light or dark, on <html data-theme>, where the style sheet and the picture can see it.
import type { App } from '../app';
import { Signal } from '../signal';

/** Changes when the colours of the page do: canvases must be drawn anew. */
export const shownTheme = new Signal<'light' | 'dark'>('light');

export function followTheme(app: App): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = (): void => {
    const wish = app.options.value.theme;
    const theme = wish === 'auto' ? (system.matches ? 'dark' : 'light') : wish;
    document.documentElement.dataset.theme = theme;
    shownTheme.value = theme;
  };
  system.addEventListener('change', apply);
  app.options.watch((now, before) => {
    if (now.theme !== before.theme) apply();
  });
  apply();
}

/** The value of a custom property, such as --text. */
export function themeColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
