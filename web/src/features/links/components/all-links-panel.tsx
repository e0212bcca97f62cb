import { useQuery } from '@tanstack/react-query';
import { ListPlus, Plus, X } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { Owner } from '@/components/admin/owner';
import { ReasonDialog, type AdminAct } from '@/components/admin/reason-dialog';
import { More } from '@/components/data/more';
import { Empty, ErrorBox, Loading } from '@/components/data/states';
import { Rows } from '@/components/data/rows';
import type { Column } from '@/components/data/table';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CopyButton } from '@/components/ui/copy-field';
import { Select } from '@/components/ui/field';
import { SearchField } from '@/components/ui/search-field';
import { useCursorQuery } from '@/lib/api/cursor-query';
import type { AdminLink } from '@/lib/api/types';
import { formatCount, formatMinor } from '@/lib/format';
import type { OwnedSort } from '@/lib/admin/owned';
import { partnersQuery, websitesQuery } from '@/lib/api/shared-queries';
import { SUBS } from '../lib/draft';
import { LinkBadges } from './link-actions';
import { BulkCreate, CreateLink } from './dialogs';
import { allLinksQuery, deleteLink, pauseLink, resumeLink } from '../api/admin';

interface Props {
  /** The link selected by the URL. */
  readonly selected: string | undefined;
  readonly onDeselect: () => void;
}

/** All tracked links of all accounts, for admins. */
export function AllLinksPanel({ selected, onDeselect }: Props) {
  const [text, setText] = useState('');
  const [sort, setSort] = useState<OwnedSort>('created');
  const search = useDeferredValue(text.trim());
  const links = useCursorQuery(allLinksQuery({ search, linkId: selected, sort }));
  const websites = useQuery(websitesQuery);
  const partners = useQuery(partnersQuery);
  const [making, setMaking] = useState<'one' | 'many' | null>(null);
  const [act, setAct] = useState<AdminAct | null>(null);
  const rows = links.rows ?? [];
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
            <>
              <SearchField label="Search links" value={text} onChange={setText} />
              <Select label="Sort by" value={sort} onChange={(event) => setSort(event.target.value as OwnedSort)}>
                <option value="created">Newest first</option>
                <option value="name">By name</option>
              </Select>
            </>
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
      {links.error ? (
        <ErrorBox error={links.error} prefix="Error loading links" onRetry={links.retry} />
      ) : !links.rows ? (
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
          <Rows caption="All tracked links" columns={columns(setAct)} rows={rows} rowKey={(row) => row.id} />
          <More of={links} className="mt-3 text-center" />
        </>
      )}
      {act && <ReasonDialog act={act} onClose={() => setAct(null)} />}
      {making === 'one' && websites.data && (
        <CreateLink websites={websites.data} partners={partners} onClose={() => setMaking(null)} />
      )}
      {making === 'many' && websites.data && (
        <BulkCreate websites={websites.data} partners={partners.data ?? []} onClose={() => setMaking(null)} />
      )}
    </Card>
  );
}

const columns = (onAct: (act: AdminAct) => void): readonly Column<AdminLink>[] => [
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
        <Owner of={row} />
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
  {
    id: 'actions',
    header: 'Actions',
    cell: (row) => (
      <div className="flex gap-1">
        <CopyButton text={row.url} label={`link ${row.slug}`} />
        <Button
          size="sm"
          aria-label={`${row.isActive ? 'Pause' : 'Resume'} link ${row.slug}`}
          onClick={() => onAct(row.isActive ? pausing(row) : resuming(row))}
        >
          {row.isActive ? 'Pause' : 'Resume'}
        </Button>
        <Button size="sm" aria-label={`Delete link ${row.slug}`} onClick={() => onAct(deleting(row))}>
          Delete
        </Button>
      </div>
    ),
  },
];

const pausing = ({ id, slug }: AdminLink): AdminAct => ({
  title: `Pause /go/${slug}?`,
  description: 'Visitors go to its fallback, if it has one. The owner can resume it.',
  action: 'Pause link',
  command: pauseLink(id),
});

const resuming = ({ id, slug }: AdminLink): AdminAct => ({
  title: `Resume /go/${slug}?`,
  description: 'It redirects to its destination again.',
  action: 'Resume link',
  command: resumeLink(id),
});

const deleting = ({ id, slug }: AdminLink): AdminAct => ({
  title: `Delete /go/${slug}?`,
  description: 'It stops redirecting permanently. Its slug stays reserved, and its clicks still count.',
  action: 'Delete link',
  command: deleteLink(id),
});
