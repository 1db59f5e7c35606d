// From values to pixels, and the ticks between.

export interface Axis {
  readonly isLog: boolean;
  readonly from: number;
  readonly to: number;
  /** 0 at `from`, 1 at `to`. */
  share(value: number): number;
  ticks(most: number): number[];
  text(value: number): string;
}

export function linearAxis(from: number, to: number): Axis {
  const end = to > from ? to : from + 1;
  return {
    isLog: false,
    from,
    to: end,
    share: (value) => (value - from) / (end - from),
    ticks: (most) => {
      const raw = (end - from) / Math.max(1, most);
      const power = 10 ** Math.floor(Math.log10(raw));
      const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999)!;
      const all = [];
      for (let k = Math.ceil(from / step - 1e-9); k * step <= end * (1 + 1e-9); ++k) all.push(k * step);
      return all;
    },
    text: (value) => String(Number(value.toPrecision(6))),
  };
}

/** Whole powers of ten around the values where these span more than one, else as near as 1, 2 and 5 come. */
export function logAxis(lowest: number, highest: number): Axis {
  const isWide = highest > 20 * lowest;
  const down = isWide ? [1] : [5, 2, 1];
  const decade = (value: number): number => 10 ** Math.floor(Math.log10(value) + 1e-9);
  const from = down.map((m) => m * decade(lowest)).find((v) => v <= lowest * 1.0001)!;
  const up = (isWide ? [1, 10] : [1, 2, 5, 10]).map((m) => m * decade(highest));
  const to = up.find((v) => v >= highest * 0.9999 && v > from) ?? 10 * from;
  const span = Math.log(to / from);
  return {
    isLog: true,
    from,
    to,
    share: (value) => Math.log(value / from) / span,
    ticks: (most) => {
      const first = Math.ceil(Math.log10(from) - 1e-9);
      const last = Math.floor(Math.log10(to) + 1e-9);
      const every = Math.max(1, Math.ceil((last - first + 1) / most));
      const all = [];
      const between = last - first < 2 ? [1, 2, 5] : [1];
      for (let k = first - 1; k <= last; ++k) {
        if ((k - first) % every !== 0 && k >= first) continue;
        for (const m of between) {
          const value = m * 10 ** k;
          if (value >= from * 0.9999 && value <= to * 1.0001) all.push(value);
        }
      }
      return all;
    },
    text: (value) => {
      const exponent = Math.log10(value);
      const isPower = Math.abs(exponent - Math.round(exponent)) < 1e-6;
      if (value >= 1e-3 && value < 1e5) return String(Number(value.toPrecision(3)));
      return isPower ? `1e${Math.round(exponent)}` : value.toExponential(0).replace('e+', 'e');
    },
  };
}
