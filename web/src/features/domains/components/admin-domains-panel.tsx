import { useDeferredValue, useState } from 'react';
import { OwnedList } from '@/components/admin/owned-list';
import { Owner } from '@/components/admin/owner';
import { ReasonDialog } from '@/components/admin/reason-dialog';
import type { Column } from '@/components/data/table';
import { When } from '@/components/data/when';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { useCursorQuery } from '@/lib/api/cursor-query';
import type { AdminDomain } from '@/lib/api/types';
import type { OwnedFilter } from '@/lib/admin/owned';
import { adminDomainsQuery, removeDomain } from '../api/admin';

const STATES = {
  pending: { label: 'Pending', tone: 'neutral' },
  verified: { label: 'Verified', tone: 'good' },
  lost: { label: 'Record missing', tone: 'bad' },
  expired: { label: 'Expired', tone: 'warn' },
} as const;

interface Props {
  readonly filter: OwnedFilter;
  readonly onFilter: (filter: OwnedFilter) => void;
}

/** All custom domains of all accounts, for admins. */
export function AdminDomainsPanel({ filter, onFilter }: Props) {
  const search = useDeferredValue(filter.search.trim());
  const domains = useCursorQuery(adminDomainsQuery({ ...filter, search }));
  const [ending, setEnding] = useState<AdminDomain | null>(null);
  return (
    <OwnedList
      title="Domains"
      caption="All domains"
      description="Every custom domain, its website and its owner"
      filter={filter}
      onFilter={onFilter}
      query={domains}
      columns={columns(setEnding)}
      none="No domains yet"
    >
      {ending && (
        <ReasonDialog
          act={{
            title: `Remove ${ending.domain}?`,
            description: 'Links stop working under it, and another website can add it.',
            action: 'Remove domain',
            command: removeDomain(ending.id),
          }}
          onClose={() => setEnding(null)}
        />
      )}
    </OwnedList>
  );
}

const columns = (onEnd: (domain: AdminDomain) => void): readonly Column<AdminDomain>[] => [
  {
    id: 'domain',
    header: 'Domain',
    className: 'min-w-40 [overflow-wrap:anywhere]',
    cell: (row) => (
      <>
        <span className="block font-medium">{row.domain}</span>
        <span className="block text-[0.8125rem] text-muted">{row.websiteDomain}</span>
      </>
    ),
  },
  {
    id: 'owner',
    header: 'Owner',
    className: 'min-w-40 [overflow-wrap:anywhere]',
    cell: (row) => <Owner of={row} />,
  },
  {
    id: 'state',
    header: 'Status',
    cell: (row) => <Badge tone={STATES[row.state].tone}>{STATES[row.state].label}</Badge>,
  },
  { id: 'tls', header: 'TLS', cell: (row) => (row.sslEnabled ? 'On' : 'Off') },
  {
    id: 'created',
    header: 'Added',
    cell: (row) => <When at={row.createdAt} />,
    className: 'whitespace-nowrap tabular',
  },
  {
    id: 'actions',
    header: <span className="sr-only">Actions</span>,
    cell: (row) => (
      <Button size="sm" aria-label={`Remove ${row.domain}`} onClick={() => onEnd(row)}>
        Remove
      </Button>
    ),
  },
];
