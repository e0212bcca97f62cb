import { useQuery } from '@tanstack/react-query';
import { Ticket } from 'lucide-react';
import { useState } from 'react';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Rows } from '@/components/data/rows';
import type { Column } from '@/components/data/table';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Badge, type Tone } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { CopyButton } from '@/components/ui/copy-field';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { CreateInvite } from '@/lib/api/request-schemas';
import type { InviteCode } from '@/lib/api/types';
import { formatZoned } from '@/lib/dates';
import { userQuery } from '@/lib/api/shared-queries';
import { createInvite, revokeInvite } from '../api/account-commands';
import { invitesQuery } from '../api/invite-codes';

const DEFAULT_USES = 1;
const DEFAULT_DAYS = 30;
const STATES: Record<InviteCode['status'], { readonly label: string; readonly tone: Tone }> = {
  active: { label: 'Active', tone: 'good' },
  used_up: { label: 'Used up', tone: 'neutral' },
  expired: { label: 'Expired', tone: 'neutral' },
  revoked: { label: 'Revoked', tone: 'bad' },
};

/** What is empty, or no whole number of 1 or more, is the default. */
export function wholeNumberOr(fallback: number, text: string): number {
  const value = Number(text);
  return text.trim() !== '' && Number.isInteger(value) && value >= 1 ? value : fallback;
}

export function InviteCodesPanel() {
  const zone = useQuery(userQuery).data?.timezone ?? 'UTC';
  const invites = useQuery(invitesQuery);
  const [revoking, setRevoking] = useState<InviteCode | null>(null);
  const revoke = useCommand(revokeInvite);
  const columns: Column<InviteCode>[] = [
    {
      id: 'code',
      header: 'Code',
      cell: (row) => <code className="text-[0.8125rem] whitespace-nowrap">{row.code}</code>,
    },
    {
      id: 'state',
      header: 'Status',
      cell: (row) => <Badge tone={STATES[row.status].tone}>{STATES[row.status].label}</Badge>,
    },
    { id: 'uses', header: 'Uses', cell: (row) => `${row.currentUses} / ${row.maxUses}`, numeric: true },
    {
      id: 'expires',
      header: 'Expires',
      cell: (row) => formatZoned(row.expiresAt, zone),
      className: 'whitespace-nowrap tabular',
    },
    {
      id: 'joined',
      header: 'Joined',
      cell: (row) => row.joined.map((person) => person.name || 'Erased account').join(', ') || '–',
      className: 'min-w-36',
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      cell: (row) =>
        row.status === 'active' && (
          <div className="flex justify-end gap-1.5">
            <CopyButton text={row.code} label={`invite code ${row.code}`} />
            <CopyButton text={inviteLink(row.code)} label={`link with invite code ${row.code}`} shows="Link" />
            <Button size="sm" aria-label={`Revoke invite code ${row.code}`} onClick={() => setRevoking(row)}>
              Revoke
            </Button>
          </div>
        ),
    },
  ];
  return (
    <div className="flex flex-col gap-5">
      <NewInvite />
      <Card title="Invite codes" description="Registration is by invite only">
        {invites.error && <ErrorBox className="mb-3" error={invites.error} onRetry={() => void invites.refetch()} />}
        {!invites.data ? (
          !invites.error && <Skeleton className="h-32" />
        ) : invites.data.length === 0 ? (
          <Empty icon={<Ticket aria-hidden className="size-5" />} title="No invite codes generated yet">
            Anyone with a code can create an account.
          </Empty>
        ) : (
          <Rows caption="Your invite codes" columns={columns} rows={invites.data} rowKey={(row) => row.id} />
        )}
      </Card>
      {revoking && (
        <ConfirmDialog
          title="Revoke this invite code?"
          description={`${revoking.code} can no longer be used to register. Accounts created with it are not affected.`}
          action="Revoke invite code"
          onConfirm={() => revoke.mutate(revoking.id)}
          onClose={() => setRevoking(null)}
        />
      )}
    </div>
  );
}

function NewInvite() {
  const form = useRequestForm({
    initial: { maxUses: String(DEFAULT_USES), expiresInDays: String(DEFAULT_DAYS) },
    command: useCommand(createInvite),
    input: ({ maxUses, expiresInDays }) => ({
      maxUses: wholeNumberOr(DEFAULT_USES, maxUses),
      expiresInDays: wholeNumberOr(DEFAULT_DAYS, expiresInDays),
    }),
  });
  const { maxUses, expiresInDays } = CreateInvite; // a hint of the browser only: what is out of them is no fault
  return (
    <Card title="New invite code" description="For one or more people">
      <Form form={form} className="flex flex-wrap items-end gap-4">
        <TextField
          label="Max uses"
          type="number"
          step={1}
          className="w-36"
          {...form.field('maxUses')}
          min={maxUses?.minimum}
          max={maxUses?.maximum}
        />
        <TextField
          label="Expires in days"
          type="number"
          step={1}
          className="w-36"
          {...form.field('expiresInDays')}
          min={expiresInDays?.minimum}
          max={expiresInDays?.maximum}
        />
        <SubmitButton form={form}>Generate invite code</SubmitButton>
      </Form>
    </Card>
  );
}

const inviteLink = (code: string): string => `${window.location.origin}/login?invite=${encodeURIComponent(code)}`;
