import { Link } from '@tanstack/react-router';
import { Bell as BellIcon, Menu as MenuIcon, Monitor, Moon, Sun, UserRound } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Boundary } from '@/components/data/boundary';
import { Button, buttonClass } from '@/components/ui/button';
import { LateMenu } from '@/components/ui/late-menu';
import { useSession } from '@/lib/session';
import { useUi, type Theme } from '@/stores/ui';
import { navigationFor } from '../navigation';
import { PRODUCT } from '../product';
import { Logo } from './logo';

// Menus and sheets are fetched when they are first needed: a public page does not pay for them.
const Bell = lazy(() =>
  import('@/features/notifications/components/bell').then((module) => ({ default: module.Bell })),
);
const AccountMenu = lazy(() => import('./account-menu').then((module) => ({ default: module.AccountMenu })));
const PhoneSheet = lazy(() => import('./phone-sheet').then((module) => ({ default: module.PhoneSheet })));

export function Header() {
  const session = useSession();
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-canvas/90 backdrop-blur">
      <div className="mx-auto flex h-14 max-w-7xl items-center gap-2 px-4 sm:px-6">
        <Link to="/" aria-label={`${PRODUCT}, home`} className="mr-2 inline-flex rounded-md">
          <Logo />
        </Link>
        <nav aria-label="Main" className="hidden flex-1 xl:block">
          <ul className="flex items-center">
            {navigationFor(session?.user).map((entry) => (
              <li key={entry.to}>
                <Link
                  to={entry.to}
                  activeOptions={{ exact: entry.to === '/', includeSearch: false }}
                  className="rounded-md px-2.5 py-2 whitespace-nowrap text-muted transition-colors hover:text-text aria-[current=page]:font-medium aria-[current=page]:text-text"
                >
                  {entry.label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="ml-auto flex items-center gap-1.5">
          <ThemeButton />
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
                <Button aria-label={`Account of ${session.user.name}`} className="max-w-48 max-2xl:size-9 max-2xl:px-0">
                  <UserRound aria-hidden className="size-4 shrink-0" />
                  <span className="truncate max-2xl:hidden">{session.user.name}</span>
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

function PhoneMenu() {
  const [open, setOpen] = useState(false);
  return (
    <div className="xl:hidden">
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
