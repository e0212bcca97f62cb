import { Link, useLocation } from '@tanstack/react-router';
import { LogOut } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { useInView } from '@/components/ui/in-view';
import { useMoreBeside } from '@/components/ui/scroll-edges';
import { TitleAround } from '@/components/ui/title-around';
import { adminGroupOf, adminGroups, adminSections, type AdminGroup } from '@/lib/admin/sections';
import { cx } from '@/lib/cx';
import type { User } from '@/lib/session';
import { useSideNavIsFull } from './side-nav-width';

interface Props {
  readonly user: User;
  readonly onLogout: () => void;
  readonly children: ReactNode;
}

/** The frame of every admin screen: the title of its section, and the sections where the side navigation does not fit
 *  for them. Each page inside starts with an h2 or a Card. */
export function AdminLayout({ user, onLogout, children }: Props) {
  const path = useLocation({ select: (location) => location.pathname.replace(/\/+$/, '') });
  const sectionsAreBeside = useSideNavIsFull();
  const section = adminSections.find((item) => item.to === path);
  return (
    <div className="mx-auto w-full max-w-7xl px-4 py-6 sm:px-6 sm:py-8">
      {!section || path === '/admin' ? (
        <div className="mb-5 flex flex-wrap items-end justify-between gap-x-4 gap-y-3">
          <div className="min-w-0">
            <h1 className="text-2xl font-semibold">Affiliate Management Dashboard</h1>
            <p className="mt-0.5 truncate text-muted">Welcome back, {user.name}</p>
          </div>
          <Button onClick={onLogout}>
            <LogOut aria-hidden className="size-4" />
            Logout
          </Button>
        </div>
      ) : (
        <h1 className="mb-5 text-2xl font-semibold">{section.title ?? section.label}</h1>
      )}
      <Sections path={path} className={cx('mb-6', sectionsAreBeside && 'lg:hidden')} />
      <TitleAround value={section?.title ?? section?.label ?? ''}>{children}</TitleAround>
    </div>
  );
}

/** The groups, and below them the pages of the current one. */
function Sections({ path, className }: { readonly path: string; readonly className: string }) {
  const group = adminGroupOf(path);
  return (
    <nav aria-label="Administration" className={cx('flex flex-col gap-1.5', className)}>
      <ul className="flex gap-1 rounded-lg bg-sunken p-1">
        {adminGroups.map(({ label, sections: [first] }) => (
          <li key={label} className="flex-1">
            {first && (
              <Link
                to={first.to}
                data-chosen={group?.label === label || undefined}
                className={cx(pill, 'text-center data-chosen:bg-surface data-chosen:text-text data-chosen:shadow-card')}
              >
                {label}
              </Link>
            )}
          </li>
        ))}
      </ul>
      {group && <Pages path={path} group={group} />}
    </nav>
  );
}

function Pages({ path, group }: { readonly path: string; readonly group: AdminGroup }) {
  const row = useInView<HTMLUListElement>('[aria-current=page]', path);
  useMoreBeside(row);
  return (
    <ul ref={row} aria-label={group.label} className="fades-sideways flex gap-1 overflow-x-auto">
      {group.sections.map((section) => (
        <li key={section.to} className="shrink-0">
          <Link
            to={section.to}
            activeOptions={{ exact: true, includeSearch: false }}
            className={cx(pill, 'aria-[current=page]:bg-brand-soft aria-[current=page]:text-brand')}
          >
            {section.label}
          </Link>
        </li>
      ))}
    </ul>
  );
}

const pill = 'block rounded-md px-3 py-1.5 font-medium text-muted transition-colors hover:text-text max-sm:px-2';
