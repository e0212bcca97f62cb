// The navigation beside work pages: full, or a narrow rail of icons. Below 1024 px it is in the menu (phone-sheet.tsx).
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useRouter } from '@tanstack/react-router';
import {
  BarChart3,
  BookOpen,
  ChevronDown,
  Database,
  LayoutDashboard,
  LayoutTemplate,
  Lightbulb,
  Link2,
  PanelLeftClose,
  PanelLeftOpen,
  Receipt,
  ShieldCheck,
  Wallet,
  type LucideIcon,
} from 'lucide-react';
import { useState } from 'react';
import { cx } from '@/lib/cx';
import type { User } from '@/lib/session';
import { userQuery } from '@/lib/api/shared-queries';
import { useUi } from '@/stores/ui';
import { workFor, type NavEntry, type WorkEntry, type WorkIcon } from '../navigation';
import { useSideNavIsFull } from './side-nav-width';
import { WebsiteSwitcher } from './website-switcher';

const ICONS: Readonly<Record<WorkIcon, LucideIcon>> = {
  overview: LayoutDashboard,
  analytics: BarChart3,
  links: Link2,
  conversions: Receipt,
  payouts: Wallet,
  insights: Lightbulb,
  builder: LayoutTemplate,
  sql: Database,
  learn: BookOpen,
  admin: ShieldCheck,
};

export function SideNav({ user }: { readonly user: User }) {
  const full = useSideNavIsFull();
  useQuery(userQuery); // name and roles as they are now: what is shown follows (lib/session.ts)
  const setSideNav = useUi((state) => state.setSideNav);
  const Icon = full ? PanelLeftClose : PanelLeftOpen;
  const name = full ? 'Collapse navigation' : 'Expand navigation';
  return (
    <>
      <div className="min-h-0 flex-1 overflow-y-auto p-2">
        <div className="mb-2">
          <WebsiteSwitcher rail={!full} />
        </div>
        <WorkNav user={user} rail={!full} />
      </div>
      <div className="border-t border-line p-2">
        <button
          type="button"
          aria-label={name}
          aria-expanded={full}
          title={name}
          className={cx(row, 'w-full')}
          onClick={() => setSideNav(full ? 'rail' : 'full')}
        >
          <Icon aria-hidden className="size-4 shrink-0" />
          {full && <span className="truncate">Collapse</span>}
        </button>
      </div>
    </>
  );
}

interface WorkNavProps {
  readonly user: User;
  readonly rail?: boolean;
  readonly onChoose?: () => void;
}

export function WorkNav({ user, rail = false, onChoose }: WorkNavProps) {
  const router = useRouter();
  return (
    <nav aria-label="Work">
      <ul className="flex flex-col gap-0.5">
        {workFor(user, router).map((entry) => (
          <li key={entry.to} className={cx(entry.apart && 'mt-2 border-t border-line pt-2')}>
            {entry.sections && !rail ? (
              <Group entry={entry} sections={entry.sections} onChoose={onChoose} />
            ) : (
              <EntryLink entry={entry} rail={rail} onChoose={onChoose} />
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface EntryProps {
  readonly entry: WorkEntry;
  readonly rail?: boolean;
  readonly onChoose: (() => void) | undefined;
}

function EntryLink({ entry, rail = false, onChoose }: EntryProps) {
  const Icon = ICONS[entry.icon];
  return (
    <Link
      to={entry.to}
      activeOptions={{ includeSearch: false }}
      {...(rail ? { 'aria-label': entry.label, title: entry.label } : {})}
      {...(onChoose ? { onClick: onChoose } : {})}
      className={row}
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      {!rail && <span className="truncate">{entry.label}</span>}
    </Link>
  );
}

/** An entry with the pages below it, which are listed on these pages, or when opened. */
function Group({ entry, sections, onChoose }: EntryProps & { readonly sections: readonly NavEntry[] }) {
  const inside = useLocation({
    select: ({ pathname }) => pathname === entry.to || pathname.startsWith(`${entry.to}/`),
  });
  const [choice, setChoice] = useState<boolean | null>(null);
  const open = choice ?? inside;
  const Icon = ICONS[entry.icon];
  return (
    <>
      <div className="relative">
        <Link
          to={entry.to}
          activeOptions={{ exact: true, includeSearch: false }}
          className={cx(row, 'pr-10')}
          {...(onChoose ? { onClick: onChoose } : {})}
        >
          <Icon aria-hidden className="size-4 shrink-0" />
          <span className="truncate">{entry.label}</span>
        </Link>
        <button
          type="button"
          aria-label={`Sections of ${entry.label}`}
          aria-expanded={open}
          className="absolute inset-y-0 right-0 grid w-9 place-items-center rounded-lg text-muted hover:text-text"
          onClick={() => setChoice(!open)}
        >
          <ChevronDown aria-hidden className={cx('size-4 transition-transform', open && 'rotate-180')} />
        </button>
      </div>
      {open && (
        <ul
          aria-label={`${entry.label} sections`}
          className="mt-0.5 ml-4 flex flex-col gap-0.5 border-l border-line pl-2"
        >
          {sections.map((section) => (
            <li key={section.to}>
              <Link
                to={section.to}
                activeOptions={{ exact: section.to === entry.to, includeSearch: false }}
                className={cx(row, 'h-8 text-[0.8125rem]')}
                {...(onChoose ? { onClick: onChoose } : {})}
              >
                <span className="truncate">{section.label}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const row =
  'flex h-9 items-center gap-2.5 rounded-lg px-3 text-muted transition-colors hover:bg-sunken hover:text-text ' +
  'aria-[current=page]:bg-brand-soft aria-[current=page]:font-medium aria-[current=page]:text-brand';
