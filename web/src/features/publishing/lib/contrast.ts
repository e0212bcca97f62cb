// Contrast as WCAG 2.2 defines it, for the pairs that the server checks (infra/domain/publishing/theme.py).
import type { Palette } from './document';

export const MIN_CONTRAST = 4.5;
const PAIRS: readonly (readonly [keyof Palette, keyof Palette])[] = [
  ['text', 'ground'],
  ['text', 'surface'],
  ['muted', 'ground'],
  ['muted', 'surface'],
  ['accent', 'ground'],
  ['accent', 'surface'],
  ['on_accent', 'accent'],
];

export interface Pair {
  readonly text: keyof Palette;
  readonly ground: keyof Palette;
  readonly ratio: number;
}

export const isColor = (value: string): boolean => /^#[0-9a-f]{6}$/i.test(value);

/** Every pair of text and ground, in the order of the server. Empty while a color is not complete. */
export function pairsOf(palette: Palette): readonly Pair[] {
  if (!Object.values(palette).every(isColor)) return [];
  return PAIRS.map(([text, ground]) => ({ text, ground, ratio: contrast(palette[text], palette[ground]) }));
}

export const isLow = (pair: Pair): boolean => pair.ratio < MIN_CONTRAST;

/** 1 to 21, of two colors `#rrggbb`. */
export function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => linear(parseInt(color.slice(at, at + 2), 16) / 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const linear = (channel: number): number => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);
