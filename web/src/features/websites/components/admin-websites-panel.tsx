import { useDeferredValue, useState } from 'react';
import { OwnedList } from '@/components/admin/owned-list';
import { Owner } from '@/components/admin/owner';
import { ReasonDialog } from '@/components/admin/reason-dialog';
import type { Column } from '@/components/data/table';
import { When } from '@/components/data/when';
import { Button } from '@/components/ui/button';
import { useCursorQuery } from '@/lib/api/cursor-query';
import type { AdminWebsite } from '@/lib/api/types';
import type { OwnedFilter } from '@/lib/admin/owned';
import { adminWebsitesQuery, disconnectWebsite } from '../api/admin';

interface Props {
  readonly filter: OwnedFilter;
  readonly onFilter: (filter: OwnedFilter) => void;
}

/** All websites of all accounts, for admins. What they measured is their owners' alone. */
export function AdminWebsitesPanel({ filter, onFilter }: Props) {
  const search = useDeferredValue(filter.search.trim());
  const websites = useCursorQuery(adminWebsitesQuery({ ...filter, search }));
  const [ending, setEnding] = useState<AdminWebsite | null>(null);
  return (
    <OwnedList
      title="Websites"
      caption="All websites"
      description="Every connected website and its owner. Their figures are visible to their owners only."
      filter={filter}
      onFilter={onFilter}
      query={websites}
      columns={columns(setEnding)}
      none="No websites yet"
    >
      {ending && (
        <ReasonDialog
          act={{
            title: `Disconnect ${ending.domain}?`,
            description: 'Its keys and custom domains stop working. What it measured stays in the log.',
            action: 'Disconnect',
            command: disconnectWebsite(ending.id),
          }}
          onClose={() => setEnding(null)}
        />
      )}
    </OwnedList>
  );
}

const columns = (onEnd: (website: AdminWebsite) => void): readonly Column<AdminWebsite>[] => [
  {
    id: 'domain',
    header: 'Website',
    className: 'min-w-40 [overflow-wrap:anywhere]',
    cell: (row) => (
      <>
        <span className="block font-medium">{row.domain}</span>
        <span className="block text-[0.8125rem] text-muted">
          {row.timezone}, {row.currency}
        </span>
      </>
    ),
  },
  {
    id: 'owner',
    header: 'Owner',
    className: 'min-w-40 [overflow-wrap:anywhere]',
    cell: (row) => <Owner of={row} />,
  },
  { id: 'links', header: 'Links', cell: (row) => row.links, numeric: true },
  { id: 'domains', header: 'Domains', cell: (row) => row.customDomains, numeric: true },
  {
    id: 'created',
    header: 'Connected',
    cell: (row) => <When at={row.createdAt} />,
    className: 'whitespace-nowrap tabular',
  },
  {
    id: 'actions',
    header: <span className="sr-only">Actions</span>,
    cell: (row) => (
      <Button size="sm" aria-label={`Disconnect ${row.domain}`} onClick={() => onEnd(row)}>
        Disconnect
      </Button>
    ),
  },
];
