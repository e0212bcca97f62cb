import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ListPlus, Plus, X } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { Empty, ErrorBox, Loading } from '@/components/data/states';
import { Rows } from '@/components/data/rows';
import type { Column } from '@/components/data/table';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { SearchField } from '@/components/ui/search-field';
import type { AdminLink } from '@/lib/api/types';
import { formatCount, formatMinor } from '@/lib/format';
import { partnersQuery, websitesQuery } from '@/lib/shared-queries';
import { SUBS } from '../lib/draft';
import { LinkActions, LinkBadges, LinkDialog, type OpenLink } from './link-actions';
import { BulkCreate, CreateLink } from './dialogs';
import { allLinksQuery } from '../api/links';

interface Props {
  /** The link selected by the URL. */
  readonly selected: string | undefined;
  readonly onDeselect: () => void;
}

/** All tracked links of all accounts, for admins. */
export function AllLinksPanel({ selected, onDeselect }: Props) {
  const [text, setText] = useState('');
  const search = useDeferredValue(text.trim());
  const links = useInfiniteQuery(allLinksQuery({ search, linkId: selected }));
  const websites = useQuery(websitesQuery);
  const partners = useQuery(partnersQuery);
  const [making, setMaking] = useState<'one' | 'many' | null>(null);
  const [open, setOpen] = useState<OpenLink | null>(null);
  const rows = links.data?.pages.flatMap((page) => page.data) ?? [];
  const hasWebsite = (websites.data?.length ?? 0) > 0;
  return (
    <Card
      title="Affiliate Links"
      description="Tracked links of all websites with clicks and revenue"
      actions={
        <>
          {selected ? (
            <Button size="sm" onClick={onDeselect}>
              <X aria-hidden className="size-3.5" />
              Show all links
            </Button>
          ) : (
            <SearchField label="Search links" value={text} onChange={setText} />
          )}
          <Button size="sm" disabled={!hasWebsite} onClick={() => setMaking('many')}>
            <ListPlus aria-hidden className="size-3.5" />
            Bulk create
          </Button>
          <Button size="sm" variant="primary" disabled={!hasWebsite} onClick={() => setMaking('one')}>
            <Plus aria-hidden className="size-3.5" />
            Create link
          </Button>
        </>
      }
    >
      {links.error && !links.data ? (
        <ErrorBox error={links.error} prefix="Error loading links" onRetry={() => void links.refetch()} />
      ) : !links.data ? (
        <Loading label="Loading links" />
      ) : rows.length === 0 ? (
        <Empty title={search || selected ? 'No links match' : 'No links yet'}>
          {search || selected
            ? 'Try another search.'
            : hasWebsite
              ? 'Create one, or many at a time.'
              : 'Links belong to a website: connect one first.'}
        </Empty>
      ) : (
        <>
          <Rows caption="All tracked links" columns={columns(setOpen)} rows={rows} rowKey={(row) => row.id} />
          {links.hasNextPage && (
            <Button
              className="mt-3 self-center"
              busy={links.isFetchingNextPage}
              onClick={() => void links.fetchNextPage()}
            >
              Show more
            </Button>
          )}
        </>
      )}
      {open && <LinkDialog open={open} onClose={() => setOpen(null)} />}
      {making === 'one' && websites.data && (
        <CreateLink websites={websites.data} partners={partners} onClose={() => setMaking(null)} />
      )}
      {making === 'many' && websites.data && (
        <BulkCreate websites={websites.data} partners={partners.data ?? []} onClose={() => setMaking(null)} />
      )}
    </Card>
  );
}

const columns = (onOpen: (open: OpenLink) => void): readonly Column<AdminLink>[] => [
  {
    id: 'link',
    header: 'Link',
    cell: (row) => (
      <div className="flex flex-col gap-1 sm:max-w-80 sm:min-w-52">
        <span className="truncate font-medium" title={row.url}>
          /go/{row.slug}
        </span>
        <span className="truncate text-[0.8125rem] text-muted" title={row.destination}>
          {row.partnerName ?? 'Partner'} · {row.destination}
        </span>
        <LinkBadges link={row} />
      </div>
    ),
  },
  {
    id: 'owner',
    header: 'Owner',
    cell: (row) => (
      <>
        <span className="block whitespace-nowrap">{row.ownerName}</span>
        <span className="block text-[0.8125rem] text-muted">{row.domain}</span>
      </>
    ),
  },
  {
    id: 'subs',
    header: 'Sub-IDs',
    cell: (row) =>
      SUBS.map((name) => row[name])
        .filter(Boolean)
        .join(', ') || '–',
    className: 'max-w-40 truncate text-muted',
  },
  {
    id: 'clicks',
    header: 'Clicks',
    cell: (row) => (row.clicks === null ? '–' : formatCount(row.clicks)),
    numeric: true,
  },
  {
    id: 'earnings',
    header: 'Revenue',
    cell: (row) => (row.earnings ? formatMinor(row.earnings) : '–'),
    numeric: true,
  },
  { id: 'actions', header: 'Actions', cell: (row) => <LinkActions link={row} onOpen={onOpen} /> },
];
