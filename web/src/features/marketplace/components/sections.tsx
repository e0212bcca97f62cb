import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { buttonClass } from '@/components/ui/button';
import { useSession } from '@/lib/session';

const SECTIONS = [
  { label: 'Browse', to: '/marketplace' },
  { label: 'My listings', to: '/marketplace/mine' },
  { label: 'Deals', to: '/marketplace/deals' },
  { label: 'Saved', to: '/marketplace/saved' },
] as const;

/** The ways through the marketplace; those of a member only for members. */
export function MarketplaceTools() {
  const session = useSession();
  return (
    <div className="flex flex-wrap items-center gap-2">
      {session && (
        <nav aria-label="Marketplace">
          <ul className="flex flex-wrap gap-1 rounded-lg bg-sunken p-1">
            {SECTIONS.map((section) => (
              <li key={section.to}>
                <Link
                  to={section.to}
                  activeOptions={{ exact: section.to === '/marketplace', includeSearch: false }}
                  className="block rounded-md px-3 py-1 font-medium text-muted transition-colors hover:text-text aria-[current=page]:bg-surface aria-[current=page]:text-text aria-[current=page]:shadow-card"
                >
                  {section.label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <Link to="/marketplace/sell" className={buttonClass({ variant: 'primary' })}>
        <Plus aria-hidden className="size-4" />
        Sell Your Website
      </Link>
    </div>
  );
}
