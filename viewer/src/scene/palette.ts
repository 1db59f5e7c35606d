// Colours: of bodies, of numbers, and of the page's two themes.

/** After P. Tol's "bright" scheme, which the colour-blind can tell apart, a little softer. */
const kBodies = [0x4878a8, 0xe07a6e, 0x3f8f5b, 0xd6b94c, 0x6fb9d6, 0xa2527f, 0xe39a52, 0x7f86c0];
export const FIXED_COLOR = 0x9aa1a9;
export const UNKNOWN_COLOR = 0x8d939a;

export interface Look {
  isDark: boolean;
  top: number; // background, above
  bottom: number; // and below
  ground: number;
  gridLine: number;
  gridOpacity: number;
  text: string;
  halo: string; // around text
  sky: number; // light from above
  earth: number; // and from below
  skyIntensity: number;
  sunIntensity: number;
  rimLight: number; // added where a body ends
  outline: number; // of selected bodies
  hover: number;
}

export const LIGHT: Look = {
  isDark: false,
  top: 0xfbfcfd,
  bottom: 0xd9dfe6,
  ground: 0xeceff2,
  gridLine: 0x4a5563,
  gridOpacity: 0.38,
  text: '#1d2630',
  halo: 'rgba(255, 255, 255, 0.85)',
  sky: 0xffffff,
  earth: 0xa9a39a,
  skyIntensity: 2.15,
  sunIntensity: 1.55,
  rimLight: 0,
  outline: 0xf08a00,
  hover: 0x2f6fb5,
};

export const DARK: Look = {
  isDark: true,
  top: 0x2b313a,
  bottom: 0x12151a,
  ground: 0x262b33,
  gridLine: 0xb4c2d4,
  gridOpacity: 0.085,
  text: '#e8edf3',
  halo: 'rgba(10, 13, 17, 0.85)',
  sky: 0xe8efff,
  earth: 0x5a5650,
  skyIntensity: 1.75,
  sunIntensity: 1.75,
  rimLight: 0.22,
  outline: 0xffb02e,
  hover: 0x9ccbff,
};

/** Of a body whose scene gives none. Neighbours in the list differ, also after the eighth. */
export function defaultColor(index: number): number {
  const base = kBodies[index % kBodies.length];
  const round = Math.floor(index / kBodies.length) % 3;
  const factor = 1 + 0.09 * (round - 1);
  const channel = (shift: number): number => Math.min(255, Math.round(((base >> shift) & 255) * factor));
  return (channel(16) << 16) | (channel(8) << 8) | channel(0);
}

/** Sixteen colours of viridis (S. van der Walt, N. Smith, matplotlib, CC0): even steps look even, also in grey. */
const kViridis = [
  0x440154, 0x481a6c, 0x472f7d, 0x414487, 0x39568c, 0x31688e, 0x2a788e, 0x23888e,
  0x1f988b, 0x22a884, 0x35b779, 0x54c568, 0x7ad151, 0xa5db36, 0xd2e21b, 0xfde725,
];

/** For style sheets. */
export const hexText = (color: number): string => `#${color.toString(16).padStart(6, '0')}`;

export const STOPS = kViridis.map(hexText);

/** Bytes r, g, b, 255 as one number in the machine's order (all that run browsers are little-endian). */
export const packColor = (color: number): number =>
  (0xff000000 | ((color & 255) << 16) | (color & 0xff00) | ((color >> 16) & 255)) >>> 0;

/** 256 packed colours from the lowest number to the highest. */
export const COLOR_TABLE = Uint32Array.from({ length: 256 }, (_, k) => {
  const at = (k / 255) * (kViridis.length - 1);
  const low = Math.min(kViridis.length - 2, Math.floor(at));
  const mix = (shift: number): number => {
    const a = (kViridis[low] >> shift) & 255;
    const b = (kViridis[low + 1] >> shift) & 255;
    return Math.round(a + (at - low) * (b - a));
  };
  return packColor((mix(16) << 16) | (mix(8) << 8) | mix(0));
});
