import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { PagedTable } from '@/components/data/paged-table';
import type { Column } from '@/components/data/table';
import { Badge, type Tone } from '@/components/ui/badge';
import { Button, buttonClass } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { Select } from '@/components/ui/field';
import { SearchField } from '@/components/ui/search-field';
import { useCommand } from '@/lib/api/command';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { endSubscription, subscribersQuery, totalsQuery, type Subscriber } from '../api/admin';

type State = Subscriber['state'];
const STATES: Readonly<Record<State, { readonly label: string; readonly tone: Tone }>> = {
  confirmed: { label: 'Confirmed', tone: 'good' },
  pending: { label: 'Not yet confirmed', tone: 'warn' },
  ended: { label: 'Unsubscribed', tone: 'neutral' },
};

interface Props {
  readonly state: State | undefined;
  /** A whole address: stored ones are encrypted, so that no part of one can be found. */
  readonly email: string;
  readonly onState: (state: State | undefined) => void;
  readonly onEmail: (email: string) => void;
}

/** Newsletter subscribers. The CSV contains confirmed ones with the unsubscribe link that each email must include. */
export function SubscribersPanel({ state, email, onState, onEmail }: Props) {
  const sought = useDeferredValue(email.trim());
  const subscribers = useCursorQuery(subscribersQuery(state, sought.includes('@') ? sought : ''));
  const totals = useQuery(totalsQuery).data?.subscribers;
  const [ending, setEnding] = useState<Subscriber | null>(null);
  const end = useCommand(endSubscription);
  const zone = browserTimezone();
  const at = (time: string | null): string => (time ? formatZoned(time, zone) : '–');
  const columns: Column<Subscriber>[] = [
    {
      id: 'who',
      header: 'Subscriber',
      className: 'min-w-52 [overflow-wrap:anywhere]',
      cell: (row) => (
        <>
          <span className="block font-medium">{row.email ?? 'Address deleted'}</span>
          <span className="block text-[0.8125rem] text-muted">{row.name}</span>
        </>
      ),
    },
    {
      id: 'state',
      header: 'Status',
      cell: (row) => <Badge tone={STATES[row.state].tone}>{STATES[row.state].label}</Badge>,
    },
    {
      id: 'source',
      header: 'Source',
      cell: (row) => row.source,
      className: 'min-w-28 max-w-44 [overflow-wrap:anywhere]',
    },
    {
      id: 'requested',
      header: 'Requested',
      cell: (row) => at(row.requestedAt),
      className: 'whitespace-nowrap tabular',
    },
    {
      id: 'confirmed',
      header: 'Confirmed',
      cell: (row) => at(row.confirmedAt),
      className: 'whitespace-nowrap tabular',
    },
    { id: 'ended', header: 'Ended', cell: (row) => at(row.endedAt), className: 'whitespace-nowrap tabular' },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      cell: (row) =>
        row.state !== 'ended' && (
          <div className="flex justify-end">
            <Button
              size="sm"
              aria-label={`Unsubscribe ${row.email ?? 'deleted address'}`}
              onClick={() => setEnding(row)}
            >
              Unsubscribe
            </Button>
          </div>
        ),
    },
  ];
  const counted = (of: State): string => (totals ? `${STATES[of].label} (${totals[of] ?? 0})` : STATES[of].label);
  return (
    <Card
      title="Newsletter"
      description="Newest first. The CSV contains all confirmed subscribers with the unsubscribe link to include in every email."
      actions={
        <>
          <SearchField label="Find an email address" value={email} onChange={onEmail} />
          <Select
            label="Status"
            value={state ?? ''}
            onChange={(event) => onState((event.target.value || undefined) as State | undefined)}
          >
            <option value="">All</option>
            {(Object.keys(STATES) as State[]).map((of) => (
              <option key={of} value={of}>
                {counted(of)}
              </option>
            ))}
          </Select>
          <a href="/api/admin/subscribers.csv" download="subscribers.csv" className={buttonClass()}>
            <Download aria-hidden className="size-4" />
            Export CSV
          </a>
        </>
      }
    >
      {sought && !sought.includes('@') && (
        <p className="mb-3 text-[0.8125rem] text-muted">Enter the whole email address.</p>
      )}
      <PagedTable
        caption="Subscribers"
        query={subscribers}
        columns={columns}
        rowKey={(row) => row.id}
        none={state || sought ? 'No subscribers match.' : 'No subscribers yet'}
      />
      {ending && (
        <ConfirmDialog
          title={`Unsubscribe ${ending.email ?? 'this address'}?`}
          description="The newsletter is no longer sent there, and the address is deleted."
          action="Unsubscribe"
          onClose={() => setEnding(null)}
          onConfirm={() => end.mutate(ending.id)}
        />
      )}
    </Card>
  );
}
