import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { PostbackDialog, PostbackUrl } from '@/components/partners/postback-url';
import { Rows } from '@/components/data/rows';
import type { Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { CopyButton, CopyField } from '@/components/ui/copy-field';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import type { NewWebsiteKey, Website, WebsiteKey } from '@/lib/api/types';
import { formatZoned } from '@/lib/dates';
import { keysQuery } from '@/lib/api/setup-queries';
import { createKey, revokeKey } from '../api/websites';

type Kind = WebsiteKey['kind'];
const KINDS: Record<Kind, { readonly name: string; readonly hint: string }> = {
  site: {
    name: 'Site key',
    hint: 'Public: part of the script. Can send page views, clicks and custom events, and claim sales.',
  },
  secret: { name: 'Secret key', hint: 'For your server: can also report conversions and past events.' },
  postback: { name: 'Postback token', hint: 'For partners: can only report conversions. Includes the postback URL.' },
};

const ORDER = Object.keys(KINDS);
const byKind = (a: WebsiteKey, b: WebsiteKey): number => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind);

export function Keys({ website }: { readonly website: Website }) {
  const keys = useQuery(keysQuery(website.id));
  const [creating, setCreating] = useState(false);
  const [rotating, setRotating] = useState<WebsiteKey | null>(null);
  const [revoking, setRevoking] = useState<WebsiteKey | null>(null);
  const [showing, setShowing] = useState<WebsiteKey | null>(null);
  const revoke = useCommand(revokeKey(website.id));
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
      cell: (row) => formatZoned(row.createdAt, website.timezone),
      className: 'whitespace-nowrap tabular',
    },
    {
      id: 'used',
      header: 'Last used',
      cell: (row) => (row.lastUsedAt ? formatZoned(row.lastUsedAt, website.timezone) : 'Never'),
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

interface NewKeyProps {
  readonly website: Website;
  /** The key that the new one is to replace: same kind, same origins. */
  readonly old: WebsiteKey | null;
  readonly onClose: () => void;
}

function NewKey({ website, old, onClose }: NewKeyProps) {
  const [kind, setKind] = useState<Kind>(old?.kind ?? 'secret');
  const [name, setName] = useState(old?.name ?? '');
  const [origins, setOrigins] = useState(old?.allowedOrigins.join(', ') ?? '');
  const [created, setCreated] = useState<NewWebsiteKey | null>(null);
  const create = useCommand(createKey(website.id), { onSuccess: setCreated });
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      once={created?.kind === 'secret' || created?.kind === 'site'}
      title={created ? 'Your new key' : old ? `Rotate ${KINDS[old.kind].name.toLowerCase()} ${old.hint}` : 'New key'}
      description={`${created ? { site: 'Add it to your pages.', secret: 'Copy it now: it is shown only once.', postback: 'You can copy its URL again at any time.' }[created.kind] : `For ${website.domain}.`}${old ? ' The old key stays valid until you revoke it.' : ''}`}
    >
      {created ? (
        <div className="flex flex-col gap-4">
          <CopyField label={KINDS[created.kind].name} value={created.key} />
          {created.kind === 'postback' && <PostbackUrl website={website} token={created.key} />}
          <Button variant="primary" className="self-end" onClick={onClose}>
            Done
          </Button>
        </div>
      ) : (
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            const allowedOrigins = origins.split(/[\s,]+/).filter(Boolean);
            create.mutate({
              kind,
              name: name.trim(),
              ...(kind === 'site' && allowedOrigins.length > 0 ? { allowedOrigins } : {}),
            });
          }}
        >
          <SelectField
            label="Kind"
            value={kind}
            disabled={old !== null}
            hint={KINDS[kind].hint}
            onChange={(event) => setKind(event.target.value as Kind)}
          >
            {Object.entries(KINDS).map(([value, { name }]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </SelectField>
          <TextField
            label="Name (optional)"
            maxLength={60}
            value={name}
            onChange={(event) => setName(event.target.value)}
            hint={kind === 'postback' ? 'For example, the network that gets it.' : 'To tell keys apart.'}
          />
          {kind === 'site' && (
            <TextField
              label="Allowed origins (optional)"
              placeholder={`https://${website.domain}`}
              value={origins}
              onChange={(event) => setOrigins(event.target.value)}
              hint="Separate several with commas. Events from other origins are rejected. Leave blank to allow any."
            />
          )}
          {create.error && <ErrorBox error={create.error} />}
          <Button type="submit" variant="primary" busy={create.isPending} className="self-end">
            Create key
          </Button>
        </form>
      )}
    </Dialog>
  );
}
