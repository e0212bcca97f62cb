import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { PasswordField } from '@/components/ui/password-field';
import { ApiError } from '@/lib/api/errors';
import type { Account } from '@/lib/api/types';
import { formatZoned } from '@/lib/dates';
import { password as rule } from '@/lib/form/fields';
import { userQuery } from '@/lib/api/shared-queries';
import { toast } from '@/stores/toasts';
import { Loaded } from './loaded';
import { ProofDialog } from '@/components/security/proof-dialog';
import { changePassword } from '../api/profile';
import { sessionsQuery } from '../api/sessions';
import { SetPassword } from '@/components/security/set-password';

export function PasswordCard() {
  const [changing, setChanging] = useState(false);
  return (
    <Card title="Password" description="Changing it signs you out everywhere else">
      <Loaded query={useQuery(userQuery)}>
        {(user) => (
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="min-w-0 flex-1 basis-56">{describe(user)}</p>
            {user.hasPassword ? (
              <Button onClick={() => setChanging(true)}>Change password</Button>
            ) : (
              <SetPassword user={user} />
            )}
            {changing && <ChangePassword user={user} onClose={() => setChanging(false)} />}
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function describe(user: Account): string {
  if (!user.hasPassword)
    return 'Your account has no password: you sign in with a provider. You need one to change your email, change two-factor authentication or erase the account.';
  return user.passwordChangedAt
    ? `Last changed ${formatZoned(user.passwordChangedAt, user.timezone)}.`
    : 'Never changed since you registered.';
}

function ChangePassword({ user, onClose }: { readonly user: Account; readonly onClose: () => void }) {
  const client = useQueryClient();
  const [wanted, setWanted] = useState('');
  const [refused, setRefused] = useState<string>();
  return (
    <ProofDialog
      title="Change password"
      description="You’ll be signed out everywhere except here."
      action="Change password"
      user={user}
      ready={wanted !== ''}
      run={async (proof) => {
        const fault = rule(wanted);
        setRefused(fault);
        if (fault) return;
        try {
          await changePassword({ ...proof, newPassword: wanted });
        } catch (error) {
          if (error instanceof ApiError) setRefused(error.fields['newPassword'] ?? error.fields['password']);
          if (error instanceof ApiError && error.code === 'wrong_password') setRefused(undefined);
          throw error;
        }
        toast('Password changed', 'You were signed out everywhere else.');
        onClose();
        await Promise.all([userQuery, sessionsQuery].map(({ queryKey }) => client.invalidateQueries({ queryKey })));
      }}
      onClose={onClose}
    >
      <PasswordField
        label="New password"
        what="new password"
        autoComplete="new-password"
        hint="At least 8 characters."
        error={refused}
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
      />
    </ProofDialog>
  );
}
