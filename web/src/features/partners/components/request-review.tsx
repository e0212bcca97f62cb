import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Rows } from '@/components/data/rows';
import { ErrorBox } from '@/components/data/states';
import type { Column } from '@/components/data/table';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Dialog } from '@/components/ui/dialog';
import { TextArea } from '@/components/ui/field';
import { api, body, done } from '@/lib/api/client';
import { ApiError, messageOf } from '@/lib/api/errors';
import type { AdminPartnerRequest } from '@/lib/api/types';
import { browserTimezone, formatDay, todayIn } from '@/lib/dates';
import { formatCount } from '@/lib/format';
import { adminPartnersQuery } from '@/lib/setup-queries';
import { partnersQuery } from '@/lib/shared-queries';
import { toast, toastError } from '@/stores/toasts';
import { AddPartner } from './add-partner';
import { PartnerName } from './partner-name';
import { openRequestsQuery } from '../api/requests';
import { bodyOf, type NewPartner } from '../hooks/use-partner-commands';

interface Open {
  readonly what: 'accept' | 'decline';
  readonly request: AdminPartnerRequest;
}

/** Members' requests that await a decision; nothing while there are none. */
export function RequestReview() {
  const requests = useQuery(openRequestsQuery);
  const [open, setOpen] = useState<Open | null>(null);
  if (requests.error && !requests.data)
    return <ErrorBox error={requests.error} prefix="Error loading requests" onRetry={() => void requests.refetch()} />;
  if (!requests.data || requests.data.length === 0) return null;
  const columns: readonly Column<AdminPartnerRequest>[] = [
    {
      id: 'name',
      header: 'Name',
      cell: (row) => <PartnerName partner={{ name: row.name, baseUrl: row.website }} />,
    },
    {
      id: 'note',
      header: 'Note',
      cell: (row) => row.note && <span className="block max-w-96 break-words whitespace-pre-wrap">{row.note}</span>,
    },
    { id: 'member', header: 'Member', cell: (row) => row.accountName },
    {
      id: 'requested',
      header: 'Requested',
      cell: (row) => formatDay(todayIn(browserTimezone(), new Date(row.requestedAt))),
      className: 'whitespace-nowrap',
    },
    {
      id: 'actions',
      header: 'Actions',
      cell: (row) => (
        <div className="flex gap-2">
          <Button
            size="sm"
            variant="primary"
            aria-label={`Accept ${row.name}`}
            onClick={() => setOpen({ what: 'accept', request: row })}
          >
            Accept
          </Button>
          <Button
            size="sm"
            aria-label={`Decline ${row.name}`}
            onClick={() => setOpen({ what: 'decline', request: row })}
          >
            Decline
          </Button>
        </div>
      ),
    },
  ];
  return (
    <Card title={`Requests (${formatCount(requests.data.length)})`} description="Partners that members requested">
      <Rows caption="Partner requests" columns={columns} rows={requests.data} rowKey={(row) => row.id} />
      {open?.what === 'accept' && <Accept request={open.request} onClose={() => setOpen(null)} />}
      {open?.what === 'decline' && <Decline request={open.request} onClose={() => setOpen(null)} />}
    </Card>
  );
}

interface DecisionProps {
  readonly request: AdminPartnerRequest;
  readonly onClose: () => void;
}

function Accept({ request, onClose }: DecisionProps) {
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (partner: NewPartner) =>
      body(
        api.POST('/api/admin/partner-requests/{id}/accept', {
          params: { path: { id: request.id } },
          body: bodyOf(partner),
        }),
      ),
    onSuccess: () => toast('Partner added', `${request.accountName} is notified.`),
    onError: (error) => toastError('Failed to add the partner', messageOf(error)),
    onSettled: () =>
      Promise.all(
        [openRequestsQuery, adminPartnersQuery, partnersQuery].map(({ queryKey }) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
  return (
    <AddPartner
      title={`Add ${request.name}`}
      description={`Requested by ${request.accountName}, who is notified. Everyone can use it.`}
      begin={{ name: request.name, baseUrl: request.website }}
      create={create}
      onClose={onClose}
    />
  );
}

function Decline({ request, onClose }: DecisionProps) {
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const decline = useMutation({
    mutationFn: () =>
      done(
        api.POST('/api/admin/partner-requests/{id}/decline', {
          params: { path: { id: request.id } },
          body: { reason: reason.trim() },
        }),
      ),
    onSuccess: () => {
      toast('Request declined', `${request.accountName} is notified.`);
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: openRequestsQuery.queryKey }),
  });
  const refused = decline.error instanceof ApiError ? decline.error.fields['reason'] : undefined;
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={`Decline ${request.name}?`}
      description={`${request.accountName} is notified and sees the reason.`}
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (reason.trim() !== '') decline.mutate();
        }}
      >
        <TextArea
          label="Reason"
          required
          rows={3}
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          error={tried && reason.trim() === '' ? 'Enter a reason' : refused}
        />
        {decline.error && !refused && <ErrorBox error={decline.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="danger" busy={decline.isPending}>
            Decline
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
