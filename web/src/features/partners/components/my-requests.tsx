import { useQuery } from '@tanstack/react-query';
import { MessageSquarePlus } from 'lucide-react';
import { useState } from 'react';
import { Rows } from '@/components/data/rows';
import { Empty, ErrorBox, Loading } from '@/components/data/states';
import type { Column } from '@/components/data/table';
import { Badge, type Tone } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import type { PartnerRequest } from '@/lib/api/types';
import { browserTimezone, formatDay, todayIn } from '@/lib/dates';
import { PartnerName } from './partner-name';
import { RequestPartner } from './dialogs';
import { requestsQuery, withdrawRequest } from '../api/requests';

const STATES: Readonly<Record<PartnerRequest['state'], { readonly label: string; readonly tone: Tone }>> = {
  open: { label: 'Pending', tone: 'warn' },
  accepted: { label: 'Added', tone: 'good' },
  declined: { label: 'Declined', tone: 'bad' },
  withdrawn: { label: 'Withdrawn', tone: 'neutral' },
};

/** The member's requests for programs that the directory lacks. */
export function MyRequests() {
  const requests = useQuery(requestsQuery);
  const withdraw = useCommand(withdrawRequest);
  const [asking, setAsking] = useState(false);
  const columns: readonly Column<PartnerRequest>[] = [
    {
      id: 'name',
      header: 'Name',
      cell: (row) => <PartnerName partner={{ name: row.name, baseUrl: row.website }} />,
    },
    {
      id: 'requested',
      header: 'Requested',
      cell: (row) => formatDay(todayIn(browserTimezone(), new Date(row.requestedAt))),
      className: 'whitespace-nowrap',
    },
    {
      id: 'status',
      header: 'Status',
      cell: (row) => (
        <>
          <Badge tone={STATES[row.state].tone}>{STATES[row.state].label}</Badge>
          {row.reason && <span className="mt-1 block max-w-80 text-[0.8125rem] break-words">{row.reason}</span>}
        </>
      ),
    },
    {
      id: 'actions',
      header: 'Actions',
      cell: (row) =>
        row.state === 'open' && (
          <Button
            size="sm"
            variant="ghost"
            aria-label={`Withdraw the request for ${row.name}`}
            onClick={() => withdraw.mutate(row)}
          >
            Withdraw
          </Button>
        ),
    },
  ];
  return (
    <Card
      title="Requested partners"
      description="Programs you requested for the directory, for everyone"
      actions={
        <Button size="sm" onClick={() => setAsking(true)}>
          <MessageSquarePlus aria-hidden className="size-3.5" />
          Request a partner
        </Button>
      }
    >
      {requests.error && !requests.data ? (
        <ErrorBox error={requests.error} prefix="Error loading requests" onRetry={() => void requests.refetch()} />
      ) : !requests.data ? (
        <Loading label="Loading requests" />
      ) : requests.data.length === 0 ? (
        <Empty title="No requests yet">Is a program missing? Request it, and an admin reviews it.</Empty>
      ) : (
        <Rows caption="List of requested partners" columns={columns} rows={requests.data} rowKey={(row) => row.id} />
      )}
      {asking && <RequestPartner onClose={() => setAsking(false)} />}
    </Card>
  );
}
