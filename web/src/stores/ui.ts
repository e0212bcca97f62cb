import { create } from 'zustand';

export type Theme = 'light' | 'dark' | 'system';
export type SideNavLook = 'full' | 'rail';

interface UiState {
  readonly theme: Theme;
  readonly singleKeys: boolean;
  /** Null: not chosen, by the width of the view. */
  readonly sideNav: SideNavLook | null;
  readonly setTheme: (theme: Theme) => void;
  readonly setSingleKeys: (on: boolean) => void;
  readonly setSideNav: (look: SideNavLook) => void;
}

export const useUi = create<UiState>((set) => ({
  theme: readTheme(),
  singleKeys: stored('singleKeys') !== 'off',
  sideNav: readSideNav(),
  setTheme: (theme) => {
    store('theme', theme);
    set({ theme });
    applyTheme();
  },
  setSingleKeys: (on) => {
    store('singleKeys', on ? 'on' : 'off');
    set({ singleKeys: on });
  },
  setSideNav: (look) => {
    store('sideNav', look);
    set({ sideNav: look });
  },
}));

/** Follows the system while the choice is "system"; public/first.js does the same before the first paint. */
export function watchSystemTheme(): void {
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', applyTheme);
  applyTheme();
}

function applyTheme(): void {
  const { theme } = useUi.getState();
  const dark = theme === 'dark' || (theme === 'system' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.classList.toggle('dark', dark);
}

function readTheme(): Theme {
  const value = stored('theme');
  return value === 'light' || value === 'dark' ? value : 'system';
}

function readSideNav(): SideNavLook | null {
  const value = stored('sideNav');
  return value === 'full' || value === 'rail' ? value : null;
}

function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function store(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Storage is blocked: the choice then lasts until the page is closed.
  }
}
