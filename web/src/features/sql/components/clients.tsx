// How an analyst's own ClickHouse client connects: access tokens, and lines to copy.
import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Rows } from '@/components/data/rows';
import type { Column } from '@/components/data/table';
import { ProofDialog } from '@/components/security/proof-dialog';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CopyField } from '@/components/ui/copy-field';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextField } from '@/components/ui/field';
import { focusOnMount } from '@/components/ui/focus';
import { Tabs } from '@/components/ui/tabs';
import { useCommand } from '@/lib/api/command';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { useNow } from '@/lib/dates/now';
import { userQuery } from '@/lib/api/shared-queries';
import { createToken, revokeToken, schemaQuery, tokensQuery, type SqlToken } from '../api/queries';

export function Clients() {
  const tokens = useQuery(tokensQuery);
  const schema = useQuery(schemaQuery);
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<SqlToken | null>(null);
  const revoke = useCommand(revokeToken);
  const columns: Column<SqlToken>[] = [
    { id: 'name', header: 'Name', cell: (row) => row.name, className: 'font-medium' },
    {
      id: 'token',
      header: 'Token',
      cell: (row) => <code className="font-mono text-[0.8125rem] whitespace-nowrap">{`sql_…${row.last4}`}</code>,
    },
    {
      id: 'created',
      header: 'Created',
      cell: (row) => formatZoned(row.createdAt, browserTimezone()),
      className: 'whitespace-nowrap tabular',
    },
    {
      id: 'used',
      header: 'Last used',
      cell: (row) => (row.lastUsedAt ? formatZoned(row.lastUsedAt, browserTimezone()) : 'Never'),
      className: 'whitespace-nowrap tabular',
    },
    {
      id: 'expires',
      header: 'Expires',
      cell: (row) => <Expiry at={row.expiresAt} />,
      className: 'whitespace-nowrap tabular',
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      cell: (row) => (
        <div className="flex justify-end">
          <Button size="sm" aria-label={`Revoke ${row.name}`} onClick={() => setRevoking(row)}>
            Revoke
          </Button>
        </div>
      ),
    },
  ];
  const connection = schema.data?.connection;
  return (
    <Card
      title="Connect a BI tool"
      description="Any ClickHouse client can read the same tables under the same limits. Sign in with your email address and an access token."
      actions={
        <Button size="sm" onClick={() => setCreating(true)}>
          <KeyRound aria-hidden className="size-3.5" />
          New token
        </Button>
      }
    >
      {tokens.error ? (
        <ErrorBox error={tokens.error} onRetry={() => void tokens.refetch()} />
      ) : !tokens.data ? (
        <div role="status" aria-label="Loading tokens">
          <Skeleton className="h-20" />
        </div>
      ) : tokens.data.length === 0 ? (
        <Empty>No tokens yet.</Empty>
      ) : (
        <Rows caption="Access tokens" columns={columns} rows={tokens.data} rowKey={(row) => row.id} />
      )}
      {connection && (
        <div className="mt-6">
          <h3 className="mb-3 font-medium">Connect</h3>
          {connection.url ? (
            <Tabs
              label="Clients"
              look="pill"
              tabs={snippets(connection.url, connection.user).map((one) => ({
                ...one,
                content: <CopyField label={one.label} value={one.text} multiline />,
              }))}
            />
          ) : (
            <p className="text-muted">
              Your tables are on an external ClickHouse server. Ask its admin for an address and a user.
            </p>
          )}
        </div>
      )}
      {creating && <CreateToken onClose={() => setCreating(false)} />}
      <Dialog
        open={revoking !== null}
        onOpenChange={() => setRevoking(null)}
        title="Revoke this token?"
        description={`Clients that use ${revoking?.name ?? 'it'} are rejected immediately. This can’t be undone.`}
      >
        <div className="flex justify-end gap-2">
          <Button onClick={() => setRevoking(null)}>Keep it</Button>
          <Button
            variant="danger"
            busy={revoke.isPending}
            onClick={() => {
              if (revoking) revoke.mutate(revoking.id, { onSettled: () => setRevoking(null) });
            }}
          >
            Revoke
          </Button>
        </div>
      </Dialog>
    </Card>
  );
}

const SOON_MS = 7 * 86_400_000;

function Expiry({ at }: { readonly at: string }) {
  const text = formatZoned(at, browserTimezone());
  return Date.parse(at) - useNow() < SOON_MS ? <Badge tone="warn">Soon: {text}</Badge> : text;
}

const EXPIRIES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
];

function CreateToken({ onClose }: { readonly onClose: () => void }) {
  const user = useQuery(userQuery);
  const [name, setName] = useState('');
  const [days, setDays] = useState('90');
  const [made, setMade] = useState<{ readonly token: string; readonly expiresAt: string } | null>(null);
  const create = useCommand(createToken, { onSuccess: setMade });
  if (made) {
    return (
      <Dialog
        open
        onOpenChange={onClose}
        title="Your token"
        description={`Copy it now: it is shown only once. It expires on ${formatZoned(made.expiresAt, browserTimezone())}, or when you change your password.`}
      >
        <div className="flex flex-col gap-4">
          <CopyField label="Token" value={made.token} />
          <div className="flex justify-end">
            <Button variant="primary" onClick={onClose}>
              Done
            </Button>
          </div>
        </div>
      </Dialog>
    );
  }
  if (!user.data) return null;
  return (
    <ProofDialog
      title="New token"
      description="Create one per client, so you can revoke each separately. Changing your password revokes all of them."
      action="Create token"
      user={user.data}
      ready={name.trim() !== ''}
      run={async (proof) => {
        await create.mutateAsync({ name: name.trim(), expiresInDays: Number(days), ...proof });
      }}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        placeholder="My notebook"
        maxLength={120}
        ref={focusOnMount}
        required
      />
      <SelectField label="Expires after" value={days} onChange={(event) => setDays(event.target.value)}>
        {EXPIRIES.map((one) => (
          <option key={one.value} value={one.value}>
            {one.label}
          </option>
        ))}
      </SelectField>
    </ProofDialog>
  );
}

export function snippets(
  url: string,
  user: string,
): readonly { readonly id: string; readonly label: string; readonly text: string }[] {
  const { hostname, port, protocol } = new URL(url);
  const secure = protocol === 'https:';
  return [
    {
      id: 'python',
      label: 'Python',
      text: [
        'import clickhouse_connect',
        '',
        `client = clickhouse_connect.get_client(host="${hostname}", port=${port}, username="${user}", password="TOKEN"${secure ? ', secure=True' : ''})`,
        'client.query_df("SELECT * FROM traffic_15m ORDER BY bucket DESC LIMIT 100")',
      ].join('\n'),
    },
    {
      id: 'curl',
      label: 'curl',
      text: `curl -u '${user}:TOKEN' '${url}/' -d 'SELECT count() FROM clicks FORMAT JSON'`,
    },
    {
      id: 'node',
      label: 'Node.js',
      text: [
        "import { createClient } from '@clickhouse/client';",
        '',
        `const client = createClient({ url: '${url}', username: '${user}', password: 'TOKEN' });`,
        "const rows = await client.query({ query: 'SELECT * FROM conversions', format: 'JSONEachRow' });",
      ].join('\n'),
    },
    {
      id: 'jdbc',
      label: 'JDBC',
      text: `jdbc:clickhouse:${url}/althing?user=${encodeURIComponent(user)}&password=TOKEN`,
    },
  ];
}
