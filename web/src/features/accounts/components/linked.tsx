import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { useCommand } from '@/lib/api/command';
import type { LinkedSignIn, SignInProvider } from '@/lib/api/types';
import { formatZoned } from '@/lib/dates';
import { userQuery } from '@/lib/api/shared-queries';
import { providersQuery } from '@/lib/session/sign-in-providers';
import { Loaded } from './loaded';
import { ProofDialog } from '@/components/security/proof-dialog';
import { linkSignIn, unlinkSignIn } from '../api/account-commands';
import { linkedQuery } from '../api/linked-sign-ins';

export function LinkedCard() {
  const user = useQuery(userQuery).data;
  const linked = useQuery(linkedQuery);
  const providers = useQuery(providersQuery);
  const [linking, setLinking] = useState<SignInProvider | null>(null);
  const [unlinking, setUnlinking] = useState<LinkedSignIn | null>(null);
  const unlink = useCommand(unlinkSignIn);
  const labelOf = (name: string) => providers.data?.find((item) => item.name === name)?.label ?? name;
  const missing = providers.data?.filter((item) => !item.isConfigured) ?? [];
  return (
    <Card title="Linked sign-ins" description="Other ways to sign in to this account. Two-factor still applies.">
      <Loaded query={linked}>
        {(rows) => (
          <>
            {rows.length === 0 ? (
              <p className="text-muted">No sign-ins linked yet</p>
            ) : (
              <ul aria-label="Linked sign-ins" className="divide-y divide-line">
                {rows.map((row) => (
                  <li key={row.id} className="flex items-center gap-3 py-2.5 first:pt-0 last:pb-0">
                    <div className="min-w-0 flex-1">
                      <p className="font-medium">{labelOf(row.provider)}</p>
                      <p className="text-[0.8125rem] [overflow-wrap:anywhere] text-muted">
                        {row.label ? `${row.label}, since ` : 'Since '}
                        {formatZoned(row.linkedAt, user?.timezone ?? 'UTC')}
                      </p>
                    </div>
                    <Button size="sm" aria-label={`Unlink ${labelOf(row.provider)}`} onClick={() => setUnlinking(row)}>
                      Unlink
                    </Button>
                  </li>
                ))}
              </ul>
            )}
            <div className="mt-4 flex flex-wrap gap-2">
              {providers.data?.map((item) => (
                <Button
                  key={item.name}
                  disabled={!item.isConfigured}
                  {...(item.isConfigured ? {} : { 'aria-describedby': 'not-set-up' })}
                  onClick={() => setLinking(item)}
                >
                  {`Link ${item.label}`}
                </Button>
              ))}
            </div>
            {missing.length > 0 && (
              <p id="not-set-up" className="mt-3 text-[0.8125rem] text-muted">
                {`${new Intl.ListFormat('en').format(missing.map((item) => item.label))}: not set up on this installation.`}
              </p>
            )}
          </>
        )}
      </Loaded>
      {linking && user && (
        <ProofDialog
          title={`Link ${linking.label}`}
          description={`You go on to ${linking.label} and return here once it is linked.`}
          action={`Continue to ${linking.label}`}
          user={user}
          withoutPassword
          run={async (proof) => {
            window.location.assign(await linkSignIn({ provider: linking.name, ...proof }));
          }}
          onClose={() => setLinking(null)}
        />
      )}
      {unlinking && (
        <ConfirmDialog
          title={`Unlink ${labelOf(unlinking.provider)}?`}
          description="You can no longer sign in with it. You’ll be signed out everywhere else."
          action="Unlink"
          onConfirm={() => unlink.mutate(unlinking.id)}
          onClose={() => setUnlinking(null)}
        />
      )}
    </Card>
  );
}
