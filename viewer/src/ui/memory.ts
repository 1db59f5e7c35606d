// What the page remembers from one visit to the next. A page opened from a file may not be allowed to; then it forgets.
import { DEFAULT_OPTIONS } from '../app';
import type { App, ViewOptions } from '../app';

const kPrefix = 'scree.';

export function recall<T>(name: string): Partial<T> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(kPrefix + name) ?? '{}');
    return kept !== null && typeof kept === 'object' ? (kept as Partial<T>) : {};
  } catch {
    return {};
  }
}

export function remember(name: string, value: unknown): void {
  try {
    localStorage.setItem(kPrefix + name, JSON.stringify(value));
  } catch {
    // Nothing depends on it.
  }
}

/** Values of the types that the defaults have; an older page may have kept something else. */
export function onlyLike<T extends object>(defaults: T, kept: Partial<T>): T {
  const result = { ...defaults };
  for (const key of Object.keys(defaults) as (keyof T)[]) {
    const value = kept[key];
    if (value !== undefined && typeof value === typeof defaults[key]) result[key] = value;
  }
  return result;
}

const kColors = ['body', 'speed', 'force', 'residual'];
const kThemes = ['auto', 'light', 'dark'];

export function rememberOptions(app: App): void {
  const options = onlyLike<ViewOptions>(DEFAULT_OPTIONS, recall<ViewOptions>('view'));
  if (!kColors.includes(options.colorBy)) options.colorBy = DEFAULT_OPTIONS.colorBy;
  if (!kThemes.includes(options.theme)) options.theme = DEFAULT_OPTIONS.theme;
  if (!(options.forceScale > 0)) options.forceScale = DEFAULT_OPTIONS.forceScale;
  if (!(options.forceThreshold >= 0)) options.forceThreshold = DEFAULT_OPTIONS.forceThreshold;
  options.follow = false; // whom it followed is not known any more
  app.options.value = options;
  app.options.watch((now) => remember('view', now));
}
