// The ready themes, as the server has them (infra/domain/publishing/theme.py).
import type { Palette, Theme } from './document';

export interface ReadyTheme {
  readonly preset: string;
  readonly label: string;
  readonly light: Palette;
  readonly dark: Palette;
  readonly font: string;
  readonly heading_font: string;
  readonly spacing: string;
  readonly corner: string;
}

const palette = (colors: string): Palette => {
  const [ground = '', surface = '', text = '', muted = '', accent = '', on_accent = '', line = ''] = colors.split(' ');
  return { ground, surface, text, muted, accent, on_accent, line };
};
const ready = (preset: string, light: string, dark: string, choices: string): ReadyTheme => {
  const [font = '', heading_font = '', spacing = '', corner = ''] = choices.split(' ');
  const label = preset.charAt(0).toUpperCase() + preset.slice(1);
  return { preset, label, light: palette(light), dark: palette(dark), font, heading_font, spacing, corner };
};

export const READY_THEMES: readonly ReadyTheme[] = [
  ready(
    'studio',
    '#ffffff #f5f6fa #10131c #525a6b #3346d3 #ffffff #e2e5ee',
    '#0d1017 #161b26 #eef0f6 #a4adbf #9aa9ff #0d1017 #2a3142',
    'inter inter airy round',
  ),
  ready(
    'journal',
    '#fcfaf6 #f3efe7 #1d1a16 #5d564b #8a2b36 #ffffff #e0d9cb',
    '#171411 #221e1a #f2ece3 #b8ad9f #f2a5a0 #171411 #3b352d',
    'inter serif airy soft',
  ),
  ready(
    'signal',
    '#f6faf8 #ffffff #0c1d18 #4a5d56 #0b6b54 #ffffff #d3e2dc',
    '#08120f #10201b #e5f2ed #9cb4ab #5fdcb8 #08120f #213a32',
    'inter inter normal round',
  ),
  ready(
    'paper',
    '#fffdf8 #f6f1e7 #22201c #5f594e #8a3b12 #ffffff #ddd4c3',
    '#1b1916 #26231f #f0ebe2 #b5ac9d #f0a877 #1b1916 #423d35',
    'serif serif normal soft',
  ),
  ready(
    'slate',
    '#ffffff #f3f5f8 #18212f #4d5a6c #1d4ed8 #ffffff #d5dce6',
    '#10161f #1a2230 #e8edf4 #a3b0c2 #8fb4ff #10161f #334056',
    'sans sans normal soft',
  ),
  ready(
    'forest',
    '#fbfdf9 #eef4ea #1b261d #4c5d4f #1f6b3a #ffffff #cfddcb',
    '#121a14 #1b261d #e6efe6 #a4b8a6 #7fd39a #121a14 #34473a',
    'humanist humanist airy round',
  ),
  ready(
    'ocean',
    '#f9fdfe #e8f4f7 #0f2530 #46606c #0b6478 #ffffff #c4dde4',
    '#0c1a21 #13262f #e2f1f5 #9dbac4 #6fd0e4 #0c1a21 #2b4752',
    'sans humanist airy round',
  ),
  ready(
    'ember',
    '#ffffff #faf1f0 #26191a #675052 #b3202f #ffffff #ecd3d3',
    '#1a1213 #271b1c #f5e8e8 #c3a8a9 #ff9a9f #1a1213 #4b3537',
    'sans slab compact square',
  ),
  ready(
    'midnight',
    '#f8f7fc #edebf7 #1d1a2e #575271 #5b2fc4 #ffffff #d5d0ea',
    '#13111f #1d1a2e #ebe8f8 #aba4cc #b9a2ff #13111f #3a3558',
    'sans mono normal soft',
  ),
];

export const readyThemeOf = (theme: Theme): ReadyTheme => {
  const found = READY_THEMES.find(({ preset }) => preset === theme.preset) ?? READY_THEMES[0];
  if (!found) throw new Error('There is no ready theme.');
  return found;
};

/** The names of colors for people. */
export const COLORS: readonly (readonly [keyof Palette, string])[] = [
  ['ground', 'Background'],
  ['surface', 'Cards'],
  ['text', 'Text'],
  ['muted', 'Secondary text'],
  ['accent', 'Links and buttons'],
  ['on_accent', 'Text on buttons'],
  ['line', 'Lines'],
];

export const FONTS: readonly (readonly [string, string])[] = [
  ['inter', 'Inter'],
  ['sans', 'Sans serif'],
  ['humanist', 'Humanist'],
  ['serif', 'Serif'],
  ['slab', 'Slab serif'],
  ['mono', 'Monospace'],
];
