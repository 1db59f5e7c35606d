// Ranges and scales that do not flicker, and round numbers.

/** The largest value seen lately: grows at once, shrinks by half in `halfLife` seconds. */
export class Peak {
  private value = 0;

  constructor(private readonly halfLife: number) {}

  see(largest: number, seconds: number): number {
    const decayed = this.value * 2 ** (-Math.min(seconds, 0.5) / this.halfLife);
    this.value = Math.max(Number.isFinite(largest) ? largest : 0, decayed);
    return this.value;
  }

  reset(): void {
    this.value = 0;
  }
}

/** Follows a value without jumping, once it has one. */
export class Smooth {
  private value = 0;

  constructor(private readonly delay: number) {} // s

  see(target: number, seconds: number): number {
    const share = this.value > 0 ? 1 - Math.exp(-seconds / this.delay) : 1;
    if (target > 0) this.value += share * (target - this.value);
    return this.value;
  }

  reset(): void {
    this.value = 0;
  }
}

/** The next of 1, 2, 5 times a power of ten at or above `value`; 0 for 0. */
export function niceAbove(value: number): number {
  if (!(value > 0) || value === Infinity) return 0;
  const exponent = Math.floor(Math.log10(value));
  const fraction = value / 10 ** exponent;
  const digit = [1, 2, 5].find((d) => d >= fraction * (1 - 1e-9)) ?? 10;
  // 5e-1 is nearer to 0.5 than 5 times 10 ** -1 is.
  return Number(`${digit === 10 ? 1 : digit}e${digit === 10 ? exponent + 1 : exponent}`);
}

/** A length as people say it. */
export function lengthText(meters: number): string {
  const say = (value: number, unit: string): string => `${Number(value.toPrecision(3))} ${unit}`;
  if (meters >= 1000) return say(meters / 1000, 'km');
  if (meters >= 0.1) return say(meters, 'm');
  if (meters >= 1e-3) return say(meters * 1000, 'mm');
  return say(meters * 1e6, 'µm');
}
