import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Rows } from '@/components/data/rows';
import { ErrorBox } from '@/components/data/states';
import type { Column } from '@/components/data/table';
import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { TextArea } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { DeclineRequest } from '@/lib/api/request-schemas';
import type { AdminPartnerRequest } from '@/lib/api/types';
import { browserTimezone, formatDay, todayIn } from '@/lib/dates';
import { formatCount } from '@/lib/format';
import { AddPartner } from './dialogs';
import { PartnerName } from './partner-name';
import { acceptRequest, declineRequest, openRequestsQuery } from '../api/requests';

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
  const create = useCommand(acceptRequest(request));
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
  const form = useRequestForm({
    request: DeclineRequest,
    initial: { reason: '' },
    rules: { reason: { maxLength: 500, missing: 'Enter a reason' } },
    command: useCommand(declineRequest(request), { onSuccess: onClose }),
    input: ({ reason }) => reason,
  });
  return (
    <FormDialog
      form={form}
      title={`Decline ${request.name}?`}
      description={`${request.accountName} is notified and sees the reason.`}
      action="Decline"
      danger
      onClose={onClose}
    >
      <TextArea label="Reason" rows={3} {...form.field('reason')} />
    </FormDialog>
  );
}
