// A member's sites.
import { useQuery } from '@tanstack/react-query';
import { LayoutTemplate, Plus } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { When } from '@/components/data/when';
import { Button } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { cx } from '@/lib/cx';
import { websitesQuery } from '@/lib/api/shared-queries';
import { sitesQuery } from '../api/sites';
import type { SiteStart } from '../lib/site-start';
import type { SiteSummary } from '../lib/types';
import { SiteBadge } from './site-badge';

const CreateSiteDialog = lazy(() => import('./create-site').then((module) => ({ default: module.CreateSiteDialog })));

interface Props {
  /** A link to the site's page. */
  readonly linkTo: (site: SiteSummary) => ReactNode;
  readonly connect: ReactNode;
  /** An idea or a channel opens "Create site" with what it brings. */
  readonly start?: SiteStart | undefined;
  readonly onStartClosed: () => void;
  readonly onCreated: (siteId: string, pageId: string | null) => void;
}

export function SiteList({ linkTo, connect, start, onStartClosed, onCreated }: Props) {
  const sites = useQuery(sitesQuery);
  const websites = useQuery(websitesQuery);
  const [creating, setCreating] = useState(false);
  if (sites.error && !sites.data)
    return <ErrorBox error={sites.error} prefix="Error loading sites" onRetry={() => void sites.refetch()} />;
  if (!sites.data || !websites.data) return <Skeletons />;
  const create = (
    <Button variant="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden className="size-4" />
      Create site
    </Button>
  );
  if (websites.data.length === 0) {
    return (
      <div className={surface}>
        <Empty
          icon={<LayoutTemplate aria-hidden className="size-5" />}
          title="Connect a website first"
          action={connect}
        >
          A site belongs to a website: its clicks and sales are counted there.
        </Empty>
      </div>
    );
  }
  return (
    <>
      {sites.data.length === 0 ? (
        <div className={surface}>
          <Empty icon={<LayoutTemplate aria-hidden className="size-5" />} title="No sites yet" action={create}>
            Start with one of seven templates: pages, structure and texts for a niche, ready to fill in.
          </Empty>
        </div>
      ) : (
        <div className="flex flex-col gap-4">
          <div className="self-start">{create}</div>
          <ul aria-label="Sites" className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
            {sites.data.map((site) => (
              <li key={site.id} className={cx(surface, 'relative flex min-w-0 flex-col gap-2 p-4 hover:bg-sunken')}>
                <h2 className="truncate font-semibold">{linkTo(site)}</h2>
                <p className="truncate text-[0.8125rem] text-muted">{site.address.replace(/^https?:\/\//, '')}</p>
                <div className="flex flex-wrap gap-1.5">
                  <SiteBadge site={site} />
                </div>
                <p className="mt-auto text-[0.8125rem] text-muted">
                  {`${site.pages} ${site.pages === 1 ? 'page' : 'pages'} · edited `}
                  <When at={site.updatedAt} />
                </p>
              </li>
            ))}
          </ul>
        </div>
      )}
      {(creating || start) && (
        <Suspense fallback={null}>
          <CreateSiteDialog
            key={start ? 'idea' : 'new'}
            websites={websites.data}
            start={start}
            onClose={() => {
              setCreating(false);
              if (start) onStartClosed();
            }}
            onCreated={onCreated}
          />
        </Suspense>
      )}
    </>
  );
}

const Skeletons = () => (
  <div role="status" aria-label="Loading sites" className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
    {[1, 2, 3].map((item) => (
      <Skeleton key={item} className="h-36" />
    ))}
  </div>
);
