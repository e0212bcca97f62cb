// The navigation beside work pages: full, or a narrow rail of icons. Below 1024 px it is in the menu (phone-sheet.tsx).
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useRouter } from '@tanstack/react-router';
import {
  BookOpen,
  ChevronDown,
  Database,
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
import { workFor, type NavEntry, type NavGroup, type WorkEntry, type WorkIcon } from '../navigation';
import { useSideNavIsFull } from './side-nav-width';
import { WebsiteSwitcher } from './website-switcher';

const ICONS: Readonly<Record<WorkIcon, LucideIcon>> = {
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
  // The specification has one on the page itself.
  const hasSwitcher = useLocation({ select: ({ pathname }) => pathname.startsWith('/analytics') });
  useQuery(userQuery); // name and roles as they are now: what is shown follows (lib/session.ts)
  const setSideNav = useUi((state) => state.setSideNav);
  const Icon = full ? PanelLeftClose : PanelLeftOpen;
  const name = full ? 'Collapse navigation' : 'Expand navigation';
  return (
    <>
      <div className="min-h-0 flex-1 overflow-y-auto p-2">
        {!hasSwitcher && (
          <div className="mb-2">
            <WebsiteSwitcher rail={!full} />
          </div>
        )}
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
            {(entry.sections ?? entry.groups) && !rail ? (
              <WithSections entry={entry} onChoose={onChoose} />
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
function WithSections({ entry, onChoose }: EntryProps) {
  const path = useLocation({ select: ({ pathname }) => pathname.replace(/\/+$/, '') });
  const inside = path === entry.to || path.startsWith(`${entry.to}/`);
  const sections = entry.sections ?? entry.groups?.flatMap((group) => group.sections) ?? [];
  const isOfSection = sections.some(({ to }) => to === path);
  const [choice, setChoice] = useState<boolean | null>(null);
  const open = choice ?? inside;
  const Icon = ICONS[entry.icon];
  return (
    <>
      <div className="relative">
        <Link
          to={entry.to}
          activeOptions={{ exact: isOfSection, includeSearch: false }}
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
          {entry.groups
            ? entry.groups.map((group) => <GroupItem key={group.label} group={group} path={path} onChoose={onChoose} />)
            : entry.sections?.map((section) => <SectionItem key={section.to} section={section} onChoose={onChoose} />)}
        </ul>
      )}
    </>
  );
}

interface GroupProps {
  readonly group: NavGroup;
  readonly path: string;
  readonly onChoose: (() => void) | undefined;
}

/** A group leads to its first page, and lists its pages on each of them. */
function GroupItem({ group, path, onChoose }: GroupProps) {
  const [first] = group.sections;
  const inside = group.sections.some(({ to }) => to === path);
  if (!first) return null;
  return (
    <li>
      <Link
        to={first.to}
        className={cx(line, 'h-8 text-[0.8125rem]', inside && 'font-medium text-text')}
        {...(onChoose ? { onClick: onChoose } : {})}
      >
        <span className="truncate">{group.label}</span>
      </Link>
      {inside && (
        <ul aria-label={group.label} className="mb-1 ml-3 flex flex-col gap-0.5">
          {group.sections.map((section) => (
            <SectionItem key={section.to} section={section} onChoose={onChoose} />
          ))}
        </ul>
      )}
    </li>
  );
}

interface SectionProps {
  readonly section: NavEntry;
  readonly onChoose: (() => void) | undefined;
}

const SectionItem = ({ section, onChoose }: SectionProps) => (
  <li>
    <Link
      to={section.to}
      activeOptions={{ exact: true, includeSearch: false }}
      className={cx(row, 'h-8 text-[0.8125rem]')}
      {...(onChoose ? { onClick: onChoose } : {})}
    >
      <span className="truncate">{section.label}</span>
    </Link>
  </li>
);

const line =
  'flex h-9 items-center gap-2.5 rounded-lg px-3 text-muted transition-colors hover:bg-sunken hover:text-text';
const row = cx(
  line,
  'aria-[current=page]:bg-brand-soft aria-[current=page]:font-medium aria-[current=page]:text-brand',
);
