// Access tokens: programs that run unattended read the API with them.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { ProofDialog, type Proof } from '@/components/security/proof-dialog';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CopyField } from '@/components/ui/copy-field';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextField } from '@/components/ui/field';
import { focusOnMount } from '@/components/ui/focus';
import { useCommand } from '@/lib/api/command';
import { ago, browserTimezone, formatZoned } from '@/lib/dates';
import { useNow } from '@/lib/dates/now';
import { userQuery, websitesQuery } from '@/lib/api/shared-queries';
import { accessTokensQuery, createToken, revokeToken, type AccessToken } from '../api/access-tokens';
import { Loaded } from './loaded';

const DAY_MS = 86_400_000;
const SOON_MS = 7 * DAY_MS;
const WHOLE_ACCOUNT = '';
const EXPIRIES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '1825', label: '5 years' },
];

export function AccessTokensCard() {
  const tokens = useQuery(accessTokensQuery);
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<AccessToken | null>(null);
  const revoke = useCommand(revokeToken);
  return (
    <Card
      title="Access tokens"
      description="For scripts and reports that read your numbers without signing in. A token can’t change anything."
      actions={
        <Button size="sm" onClick={() => setCreating(true)}>
          <KeyRound aria-hidden className="size-3.5" />
          New token
        </Button>
      }
    >
      <Loaded query={tokens}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="text-muted">No tokens yet.</p>
          ) : (
            <ul aria-label="Access tokens" className="divide-y divide-line">
              {rows.map((token) => (
                <li key={token.id} className="flex items-center gap-3 py-2.5 first:pt-0 last:pb-0">
                  <Details token={token} />
                  <Button size="sm" aria-label={`Revoke ${token.name}`} onClick={() => setRevoking(token)}>
                    Revoke
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {creating && <CreateToken onClose={() => setCreating(false)} />}
      <Dialog
        open={revoking !== null}
        onOpenChange={() => setRevoking(null)}
        title="Revoke this token?"
        description={`Programs that use ${revoking?.name ?? 'it'} are rejected immediately. This can’t be undone.`}
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

function Details({ token }: { readonly token: AccessToken }) {
  const now = useNow();
  const websites = useQuery({ ...websitesQuery, enabled: token.websiteIds !== null });
  const names = token.websiteIds?.map((id) => websites.data?.find((one) => one.id === id)?.domain ?? 'one website');
  const used = token.lastUsedAt ? `last used ${ago(Date.parse(token.lastUsedAt), now)} ago` : 'never used';
  const expires = formatZoned(token.expiresAt, browserTimezone());
  return (
    <div className="min-w-0 flex-1">
      <p className="font-medium break-words">
        {token.name} <code className="font-mono text-[0.8125rem] text-muted">{`althing_…${token.last4}`}</code>
      </p>
      <p className="text-[0.8125rem] break-words text-muted">
        Reads {names?.join(', ') ?? 'your whole account'}, {used}
      </p>
      <p className="text-[0.8125rem] text-muted">
        {Date.parse(token.expiresAt) - now < SOON_MS ? (
          <Badge tone="warn">Expires soon: {expires}</Badge>
        ) : (
          `Expires ${expires}`
        )}
      </p>
    </div>
  );
}

function CreateToken({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const user = useQuery(userQuery);
  const websites = useQuery(websitesQuery);
  const now = useNow();
  const [name, setName] = useState('');
  const [website, setWebsite] = useState(WHOLE_ACCOUNT);
  const [days, setDays] = useState('365');
  const [made, setMade] = useState<{ readonly token: string; readonly expiresAt: string } | null>(null);
  const create = async (proof: Proof) => {
    const input = {
      name: name.trim(),
      scopes: ['read' as const],
      websiteIds: website === WHOLE_ACCOUNT ? null : [website],
      expiresAt: new Date(now + Number(days) * DAY_MS).toISOString(),
      ...proof,
    };
    setMade(await createToken(input));
    await client.invalidateQueries({ queryKey: accessTokensQuery.queryKey });
  };
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
      description="Create one per program, so you can revoke each separately. Changing your password revokes all of them."
      action="Create token"
      user={user.data}
      ready={name.trim() !== ''}
      run={create}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        placeholder="Nightly report"
        maxLength={120}
        ref={focusOnMount}
        required
      />
      <SelectField label="Reads" value={website} onChange={(event) => setWebsite(event.target.value)}>
        <option value={WHOLE_ACCOUNT}>Your whole account</option>
        {websites.data?.map((one) => (
          <option key={one.id} value={one.id}>
            {one.domain}
          </option>
        ))}
      </SelectField>
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
