import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { opened } from '@/components/data/opened';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { PostbackDialog } from '@/components/partners/postback-url';
import { Rows } from '@/components/data/rows';
import type { Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { CopyButton } from '@/components/ui/copy-field';
import { useCommand } from '@/lib/api/command';
import type { Website, WebsiteKey } from '@/lib/api/types';
import { formatDay, formatZoned, todayIn } from '@/lib/dates';
import { keysQuery } from '@/lib/api/setup-queries';
import { revokeKey } from '../api/websites';
import { KINDS } from '../lib/key-kinds';

const NewKey = opened(() => import('./new-key').then((module) => module.NewKey));

const ORDER = Object.keys(KINDS);
const byKind = (a: WebsiteKey, b: WebsiteKey): number => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind);

export function Keys({ website }: { readonly website: Website }) {
  const keys = useQuery(keysQuery(website.id));
  const [creating, setCreating] = useState(false);
  const [rotating, setRotating] = useState<WebsiteKey | null>(null);
  const [revoking, setRevoking] = useState<WebsiteKey | null>(null);
  const [showing, setShowing] = useState<WebsiteKey | null>(null);
  const revoke = useCommand(revokeKey(website.id));
  // A day each: with hours and zone the table is wider than its card, and the last column lies over them.
  const day = (at: string) => (
    <time dateTime={at} title={formatZoned(at, website.timezone)}>
      {formatDay(todayIn(website.timezone, new Date(at)))}
    </time>
  );
  const columns: Column<WebsiteKey>[] = [
    { id: 'kind', header: 'Kind', cell: (row) => KINDS[row.kind].name, className: 'whitespace-nowrap font-medium' },
    { id: 'name', header: 'Name', cell: (row) => row.name || '–' },
    {
      id: 'key',
      header: 'Key',
      cell: (row) => <code className="text-[0.8125rem] break-all">{row.key ?? row.hint}</code>,
      className: 'min-w-40',
    },
    {
      id: 'origins',
      header: 'Allowed origins',
      cell: (row) => (row.kind === 'site' ? row.allowedOrigins.join(', ') || 'Any' : '–'),
    },
    {
      id: 'created',
      header: 'Created',
      cell: (row) => day(row.createdAt),
      className: 'whitespace-nowrap tabular',
    },
    {
      id: 'used',
      header: 'Last used',
      cell: (row) => (row.lastUsedAt ? day(row.lastUsedAt) : 'Never'),
      className: 'whitespace-nowrap tabular',
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      cell: (row) =>
        row.revokedAt ? (
          <div className="flex justify-end">
            <Badge tone="bad">Revoked</Badge>
          </div>
        ) : (
          <div className="flex justify-end gap-1.5">
            {row.isReadable && (
              <Button size="sm" aria-label={`Postback URL of ${row.name} ${row.hint}`} onClick={() => setShowing(row)}>
                Postback URL
              </Button>
            )}
            {row.key && <CopyButton text={row.key} label={`${KINDS[row.kind].name} ${row.hint}`} />}
            <Button
              size="sm"
              aria-label={`Rotate ${KINDS[row.kind].name} ${row.hint}`}
              onClick={() => setRotating(row)}
            >
              Rotate
            </Button>
            <Button
              size="sm"
              aria-label={`Revoke ${KINDS[row.kind].name} ${row.hint}`}
              onClick={() => setRevoking(row)}
            >
              Revoke
            </Button>
          </div>
        ),
    },
  ];
  return (
    <div>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h3 className="font-medium">Keys</h3>
        <Button size="sm" onClick={() => setCreating(true)}>
          <KeyRound aria-hidden className="size-3.5" />
          New key
        </Button>
      </div>
      {keys.error && <ErrorBox className="mb-3" error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.data ? (
        <Rows
          caption={`Keys of ${website.domain}`}
          columns={columns}
          rows={keys.data.toSorted(byKind)}
          rowKey={(row) => row.id}
        />
      ) : (
        !keys.error && <Skeleton className="h-28" />
      )}
      {creating && <NewKey website={website} old={null} onClose={() => setCreating(false)} />}
      {rotating && <NewKey website={website} old={rotating} onClose={() => setRotating(null)} />}
      {showing && <PostbackDialog website={website} keyId={showing.id} onClose={() => setShowing(null)} />}
      {revoking && (
        <ConfirmDialog
          title={`Revoke this ${KINDS[revoking.kind].name.toLowerCase()}?`}
          description={`${revoking.hint} stops working immediately. Make sure a replacement key is in use.`}
          action="Revoke key"
          onConfirm={() => revoke.mutate(revoking.id)}
          onClose={() => setRevoking(null)}
        />
      )}
    </div>
  );
}
