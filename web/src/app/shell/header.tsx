import { Link } from '@tanstack/react-router';
import { Bell as BellIcon, Menu as MenuIcon, Monitor, Moon, Search, Sun, UserRound } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Boundary } from '@/components/data/boundary';
import { Button, buttonClass } from '@/components/ui/button';
import { LateMenu } from '@/components/ui/late-menu';
import { cx } from '@/lib/cx';
import { useSession } from '@/lib/session';
import { keyLabels } from '@/lib/browser/shortcuts';
import { openPalette } from '@/stores/commands';
import { useUi, type Theme } from '@/stores/ui';
import { navigation } from '../navigation';
import { PRODUCT } from '../product';
import { Logo } from './logo';

// Menus and sheets are fetched when they are first needed: a public page does not pay for them.
const Bell = lazy(() =>
  import('@/features/notifications/components/bell').then((module) => ({ default: module.Bell })),
);
const AccountMenu = lazy(() => import('./account-menu').then((module) => ({ default: module.AccountMenu })));
const PhoneSheet = lazy(() => import('./phone-sheet').then((module) => ({ default: module.PhoneSheet })));

/** `working`: on a work page, it is as wide as the view. */
export function Header({ working }: { readonly working: boolean }) {
  const session = useSession();
  return (
    <header className="sticky top-0 z-header border-b border-line bg-canvas/90 backdrop-blur">
      <div className={cx('flex h-14 items-center gap-2 px-4', !working && 'mx-auto max-w-7xl sm:px-6')}>
        <Link to="/" aria-label={`${PRODUCT}, home`} className="mr-2 inline-flex rounded-md">
          <Logo />
        </Link>
        <nav aria-label="Main" className="hidden lg:block">
          <ul className="flex items-center">
            {navigation.map((entry) => (
              <li key={entry.to}>
                <Link
                  to={entry.to}
                  activeOptions={{ exact: entry.to === '/', includeSearch: false }}
                  className="rounded-md px-2 py-2 whitespace-nowrap xl:px-2.5 text-muted transition-colors hover:text-text aria-[current=page]:font-medium aria-[current=page]:text-text"
                >
                  {entry.label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="ml-auto flex items-center gap-1.5">
          {session && <SearchButton />}
          {!session && <ThemeButton />}
          {session && (
            <Boundary fallback={null}>
              <Suspense fallback={<BellIcon aria-hidden className="m-2.5 size-[1.125rem] text-muted" />}>
                <Bell />
              </Suspense>
            </Boundary>
          )}
          {session ? (
            <LateMenu
              failed={
                <Link to="/account-settings" className={buttonClass()}>
                  Account Settings
                </Link>
              }
              trigger={
                <Button
                  aria-label={`Account of ${session.user.name}`}
                  className={cx('max-w-48', working ? 'max-2xl:size-9 max-2xl:px-0' : 'size-9 px-0')}
                >
                  <UserRound aria-hidden className="size-4 shrink-0" />
                  {working && <span className="truncate max-2xl:hidden">{session.user.name}</span>}
                </Button>
              }
            >
              {(trigger) => <AccountMenu trigger={trigger} user={session.user} />}
            </LateMenu>
          ) : (
            <Link to="/login" className={buttonClass({ variant: 'primary' })}>
              Get Started
            </Link>
          )}
          <PhoneMenu />
        </div>
      </div>
    </header>
  );
}

/** Looks like a field where it fits, and opens the palette. */
function SearchButton() {
  const keys = keyLabels('mod+k').join(' ');
  return (
    <button
      type="button"
      aria-label={`Search… ${keys}`}
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K Meta+K"
      title="Search and commands"
      className="flex h-9 w-9 shrink-0 items-center justify-center gap-2 rounded-lg text-muted hover:bg-sunken hover:text-text xl:w-48 xl:justify-start xl:border xl:border-line xl:bg-surface xl:px-2.5 2xl:w-72"
      onClick={openPalette}
    >
      <Search aria-hidden className="size-4 shrink-0" />
      <span className="hidden flex-1 text-left xl:block">Search…</span>
      <kbd className="hidden rounded border border-line bg-sunken px-1.5 font-sans text-xs xl:block">{keys}</kbd>
    </button>
  );
}

function PhoneMenu() {
  const [open, setOpen] = useState(false);
  return (
    <div className="lg:hidden">
      <Button
        variant="ghost"
        size="icon"
        aria-label="Open menu"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        <MenuIcon aria-hidden className="size-5" />
      </Button>
      {open && (
        <Boundary fallback={null}>
          <Suspense fallback={null}>
            <PhoneSheet onClose={() => setOpen(false)} />
          </Suspense>
        </Boundary>
      )}
    </div>
  );
}

interface ThemeChoice {
  readonly value: Theme;
  readonly label: string;
  readonly Icon: typeof Sun;
}

const SYSTEM: ThemeChoice = { value: 'system', label: 'system', Icon: Monitor };
const THEMES: readonly ThemeChoice[] = [
  { value: 'light', label: 'light', Icon: Sun },
  { value: 'dark', label: 'dark', Icon: Moon },
  SYSTEM,
];

function ThemeButton() {
  const { theme, setTheme } = useUi();
  const index = THEMES.findIndex((item) => item.value === theme);
  const { label, Icon } = THEMES[index] ?? SYSTEM;
  const next = THEMES[(index + 1) % THEMES.length] ?? SYSTEM;
  const name = `Theme: ${label}. Switch to ${next.label}`;
  return (
    <Button variant="ghost" size="icon" aria-label={name} title={name} onClick={() => setTheme(next.value)}>
      <Icon aria-hidden className="size-[1.125rem]" />
    </Button>
  );
}
