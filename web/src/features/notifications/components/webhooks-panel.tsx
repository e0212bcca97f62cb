import { useQuery } from '@tanstack/react-query';
import { Webhook as WebhookIcon } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { PagedTable } from '@/components/data/paged-table';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import type { Column } from '@/components/data/table';
import { When } from '@/components/data/when';
import { Badge, type Tone } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { Dialog } from '@/components/ui/dialog';
import { useCommand } from '@/lib/api/command';
import { opened } from '@/components/data/opened';
import { rowsOf, useCursorQuery } from '@/lib/api/cursor-query';
import { SecretDialog } from './secret-dialog';
import {
  messagesQuery,
  removeWebhook,
  rotateSecret,
  testWebhook,
  turnOnWebhook,
  webhooksQuery,
  type Webhook,
  type WebhookDelivery,
} from '../api/alerts';

const WebhookForm = opened(() => import('./webhook-form').then((module) => module.WebhookForm));

/** Where alerts are sent besides emails. */
export function WebhooksPanel({ help }: { readonly help: ReactNode }) {
  const query = useQuery(webhooksQuery);
  const [adding, setAdding] = useState(false);
  return (
    <Card
      title="Webhooks"
      description={<>Send alerts to your own server, or to a channel of Slack or a compatible chat. {help}</>}
      actions={
        <Button size="sm" onClick={() => setAdding(true)}>
          Add webhook
        </Button>
      }
    >
      {query.error && !query.data ? (
        <ErrorBox error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <Skeleton className="h-24" />
      ) : query.data.length === 0 ? (
        <Empty icon={<WebhookIcon aria-hidden className="size-5" />}>No webhooks yet.</Empty>
      ) : (
        <ul aria-label="Webhooks" className="-my-3 divide-y divide-line">
          {query.data.map((webhook) => (
            <Row key={webhook.id} webhook={webhook} />
          ))}
        </ul>
      )}
      {adding && <WebhookForm webhook={null} onClose={() => setAdding(false)} />}
    </Card>
  );
}

type Open = 'edit' | 'messages' | 'rotate' | 'delete' | null;

function Row({ webhook }: { readonly webhook: Webhook }) {
  const [open, setOpen] = useState<Open>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const { host } = new URL(webhook.url);
  const turnOn = useCommand(turnOnWebhook);
  const test = useCommand(testWebhook, { onSuccess: () => setOpen('messages') });
  const rotate = useCommand(rotateSecret, { onSuccess: (answer) => setSecret(answer.secret) });
  const remove = useCommand(removeWebhook);
  const close = () => setOpen(null);
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-3">
      <div className="min-w-56 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-medium [overflow-wrap:anywhere]">
          {host}
          <Badge>{webhook.format === 'slack' ? 'Slack' : 'Signed JSON'}</Badge>
          {!webhook.active && <Badge tone={webhook.switchedOff ? 'bad' : 'neutral'}>Off</Badge>}
        </p>
        <p className="mt-0.5 text-[0.8125rem] text-muted">
          {webhook.switchedOff === 'failures'
            ? 'Switched off: several messages in a row could not be delivered.'
            : webhook.switchedOff === 'gone'
              ? 'Switched off: the address is gone (410).'
              : `${webhook.websiteIds.length === 0 ? 'All websites' : count(webhook.websiteIds.length, 'website')} · ${
                  webhook.kinds.length === 0
                    ? 'all alerts'
                    : count(webhook.kinds.length, 'kind of alert', 'kinds of alerts')
                }`}
        </p>
      </div>
      <div className="flex flex-wrap gap-1.5">
        {webhook.active ? (
          <Button
            size="sm"
            busy={test.isPending}
            aria-label={`Send test to ${host}`}
            onClick={() => test.mutate(webhook.id)}
          >
            Send test
          </Button>
        ) : (
          <Button
            size="sm"
            busy={turnOn.isPending}
            aria-label={`Turn on ${host}`}
            onClick={() => turnOn.mutate(webhook.id)}
          >
            Turn on
          </Button>
        )}
        <Button size="sm" aria-label={`Deliveries to ${host}`} onClick={() => setOpen('messages')}>
          Deliveries
        </Button>
        <Button size="sm" aria-label={`Edit ${host}`} onClick={() => setOpen('edit')}>
          Edit
        </Button>
        {webhook.format === 'standard' && (
          <Button size="sm" aria-label={`New secret for ${host}`} onClick={() => setOpen('rotate')}>
            New secret
          </Button>
        )}
        <Button size="sm" aria-label={`Delete ${host}`} onClick={() => setOpen('delete')}>
          Delete
        </Button>
      </div>
      {open === 'edit' && <WebhookForm webhook={webhook} onClose={close} />}
      {open === 'messages' && <Messages webhook={webhook} host={host} onClose={close} />}
      {open === 'rotate' && (
        <ConfirmDialog
          title="Create a new secret?"
          description="For one day, messages are signed with both the old and the new secret, so you can switch without losing any."
          action="Create secret"
          onConfirm={() => rotate.mutate(webhook.id)}
          onClose={close}
        />
      )}
      {open === 'delete' && (
        <ConfirmDialog
          title={`Delete the webhook to ${host}?`}
          description="Its delivery history is deleted, and no more messages are sent."
          action="Delete webhook"
          onConfirm={() => remove.mutate(webhook.id)}
          onClose={close}
        />
      )}
      {secret !== null && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </li>
  );
}

const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`;

const STATES: Record<WebhookDelivery['state'], { readonly label: string; readonly tone: Tone }> = {
  waiting: { label: 'Waiting', tone: 'warn' },
  delivered: { label: 'Delivered', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  dropped: { label: 'Not sent', tone: 'neutral' },
};
const TYPES: Readonly<Record<string, string>> = {
  'alert.opened': 'Alert',
  'alert.resolved': 'Alert resolved',
  'webhook.test': 'Test',
};
const COLUMNS: readonly Column<WebhookDelivery>[] = [
  { id: 'type', header: 'Message', cell: (row) => TYPES[row.type] ?? row.type },
  { id: 'created', header: 'Created', cell: (row) => <When at={row.createdAt} />, className: 'whitespace-nowrap' },
  {
    id: 'state',
    header: 'Status',
    cell: (row) => <Badge tone={STATES[row.state].tone}>{STATES[row.state].label}</Badge>,
  },
  { id: 'attempts', header: 'Attempts', cell: (row) => row.attempts, numeric: true },
  { id: 'answer', header: 'Last response', cell: (row) => row.error || (row.status ?? '–') },
  {
    id: 'next',
    header: 'Next attempt',
    cell: (row) => (row.nextAttemptAt ? <When at={row.nextAttemptAt} /> : '–'),
    className: 'whitespace-nowrap',
  },
];
const AGAIN_MS = 2_000;

function Messages({
  webhook,
  host,
  onClose,
}: {
  readonly webhook: Webhook;
  readonly host: string;
  readonly onClose: () => void;
}) {
  const query = useCursorQuery({
    ...messagesQuery(webhook.id),
    // The outcome of what was just sent appears without a reload.
    refetchInterval: (current) =>
      current.state.data && rowsOf(current.state.data).some((row) => row.state === 'waiting' && row.attempts === 0)
        ? AGAIN_MS
        : false,
  });
  return (
    <Dialog
      open
      as="wide"
      onOpenChange={(open) => !open && onClose()}
      title={`Deliveries to ${host}`}
      description="Messages of the last 30 days. Failed messages are retried for about a day."
    >
      <PagedTable
        caption={`Deliveries to ${host}`}
        query={query}
        columns={COLUMNS}
        rowKey={(row) => row.id}
        none="No messages yet."
      />
    </Dialog>
  );
}
