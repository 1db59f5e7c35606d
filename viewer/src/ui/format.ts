// Numbers as people read them. The minus sign is as wide as a digit, so that columns stay where they are.

export const kNothing = '–';

/** Only the sign: exponents stay as one types them. */
function withMinus(text: string): string {
  return text.replace(/^-/, '\u2212');
}

/** `digits` significant ones, always as many, so that a changing value does not jump; fewer beside a power of ten, which needs their room. */
export function formatNumber(value: number, digits = 6): string {
  if (Number.isNaN(value)) return kNothing;
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '\u2212∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 10 ** Math.max(digits, 5)) return withMinus(value.toPrecision(digits)).replace('e+', 'e');
  return withMinus(value.toExponential(Math.max(1, digits - 3))).replace('e+', 'e');
}

/** Without zeros that say nothing; for fields that are typed into, so with a plain minus. */
export function formatPlain(value: number): string {
  if (!Number.isFinite(value)) return '';
  const size = Math.abs(value);
  if (value !== 0 && (size < 1e-3 || size >= 1e7)) return value.toExponential().replace('e+', 'e');
  return String(value);
}

/** 3.2e-5: residuals and tolerances are compared by their power of ten. */
export function formatResidual(value: number): string {
  if (Number.isNaN(value)) return kNothing;
  if (value === 0) return '0';
  return withMinus(value.toExponential(1)).replace('e+', 'e').replace('.0e', 'e');
}

export function formatCount(value: number): string {
  return Number.isFinite(value) ? Math.round(value).toLocaleString('en-US').replace(/,/g, '\u2009') : kNothing;
}

/** Decimals that tell one step from the next. */
export function timeDecimals(step: number): number {
  return step > 0 ? Math.min(6, Math.max(2, Math.ceil(-Math.log10(step) - 1e-9))) : 3;
}

export function formatTime(time: number, decimals: number): string {
  return Number.isFinite(time) ? withMinus(time.toFixed(decimals)) : kNothing;
}

export function formatFactor(factor: number): string {
  return factor === 0 ? 'max' : `${factor}×`;
}

/** Of something measured: two or three digits are all that is meant. */
export function formatRough(value: number): string {
  if (!Number.isFinite(value)) return kNothing;
  const size = Math.abs(value);
  return withMinus(value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2));
}
