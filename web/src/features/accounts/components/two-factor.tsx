import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FactorSetUp, type FactorToSetUp } from '@/components/security/factor-set-up';
import { RecoveryCodes } from '@/components/security/recovery-codes';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Dialog } from '@/components/ui/dialog';
import { api, body, done } from '@/lib/api/client';
import { ApiError, messageOf } from '@/lib/api/errors';
import type { Account } from '@/lib/api/types';
import { userQuery } from '@/lib/shared-queries';
import { toast, toastError } from '@/stores/toasts';
import { Loaded } from './loaded';
import { ProofDialog, type Proof } from '@/components/security/proof-dialog';
import { sessionsQuery } from '../api/sessions';

const FEW_CODES = 3;

type Step =
  | { readonly at: 'prove'; readonly what: 'set-up' | 'disable' | 'codes' }
  | { readonly at: 'set-up'; readonly factor: FactorToSetUp }
  | { readonly at: 'codes'; readonly codes: readonly string[]; readonly said: string };

export function TwoFactorCard() {
  return (
    <Card title="Two-factor authentication" description="A code from an authenticator app in addition to your password">
      <Loaded query={useQuery(userQuery)}>{(user) => <TwoFactor user={user} />}</Loaded>
    </Card>
  );
}

function TwoFactor({ user }: { readonly user: Account }) {
  const client = useQueryClient();
  const [step, setStep] = useState<Step | null>(null);
  const close = () => setStep(null);
  const changed = () =>
    Promise.all([userQuery, sessionsQuery].map(({ queryKey }) => client.invalidateQueries({ queryKey })));
  const begin = async (proof?: Proof) => {
    const factor = await body(api.POST('/api/platform/2fa/setup', { body: proof ?? {} }));
    confirm.reset(); // a wrong code of an earlier try is no matter of this one
    setStep({ at: 'set-up', factor });
  };
  const start = useMutation({
    mutationFn: () => begin(),
    onError: (error) => {
      // The sign-in is too old: the password is required again.
      if (error instanceof ApiError && error.code === 'password_needed') setStep({ at: 'prove', what: 'set-up' });
      else toastError('Failed to set up two-factor authentication', messageOf(error));
    },
  });
  const confirm = useMutation({
    mutationFn: async (code: string) =>
      (await body(api.POST('/api/platform/2fa/confirm', { body: { code } }))).recoveryCodes,
    onSuccess: async (codes) => {
      setStep({ at: 'codes', codes, said: 'Two-factor authentication is on' });
      await changed();
    },
  });
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Badge tone={user.twoFactor ? 'good' : 'warn'}>{user.twoFactor ? 'On' : 'Off'}</Badge>
        <p className="min-w-0 flex-1">
          {user.twoFactor
            ? `${user.recoveryCodesLeft} of 10 recovery codes left.`
            : 'Your account is protected by password only.'}
          {user.twoFactor && user.recoveryCodesLeft < FEW_CODES && (
            <strong className="font-medium text-warn"> Generate new codes.</strong>
          )}
        </p>
      </div>
      <div className="mt-4 flex flex-wrap gap-2">
        {user.twoFactor ? (
          <>
            <Button onClick={() => setStep({ at: 'prove', what: 'codes' })}>New recovery codes</Button>
            <Button onClick={() => setStep({ at: 'prove', what: 'set-up' })}>Change authenticator</Button>
            <Button onClick={() => setStep({ at: 'prove', what: 'disable' })}>Disable</Button>
          </>
        ) : (
          <Button variant="primary" busy={start.isPending} onClick={() => start.mutate()}>
            Set up two-factor authentication
          </Button>
        )}
      </div>
      {step?.at === 'prove' && step.what === 'set-up' && (
        <ProofDialog
          title="Set up two-factor authentication"
          action="Continue"
          user={user}
          run={begin}
          onClose={close}
          description={
            user.twoFactor
              ? 'Your current authenticator works until you confirm the new one.'
              : 'Confirm your identity first.'
          }
        />
      )}
      {step?.at === 'prove' && step.what === 'codes' && (
        <ProofDialog
          title="New recovery codes"
          description="Your current codes stop working. You’ll be signed out everywhere else."
          action="Generate new codes"
          user={user}
          run={async (proof) => {
            const { recoveryCodes } = await body(api.POST('/api/platform/2fa/recovery-codes', { body: proof }));
            setStep({ at: 'codes', codes: recoveryCodes, said: 'Recovery codes regenerated' });
            await changed();
          }}
          onClose={close}
        />
      )}
      {step?.at === 'prove' && step.what === 'disable' && (
        <ProofDialog
          title="Disable two-factor authentication?"
          description="You’ll sign in with your password only. Your recovery codes stop working, and you’ll be signed out everywhere else."
          action="Disable"
          danger
          user={user}
          run={async (proof) => {
            await done(api.POST('/api/platform/2fa/disable', { body: proof }));
            toast('Two-factor authentication disabled');
            close();
            await changed();
          }}
          onClose={close}
        />
      )}
      {step?.at === 'set-up' && (
        <Dialog open onOpenChange={(open) => !open && close()} title="Set up two-factor authentication">
          <FactorSetUp
            factor={step.factor}
            busy={confirm.isPending}
            error={confirm.error}
            onCode={(code) => confirm.mutate(code)}
          />
        </Dialog>
      )}
      {step?.at === 'codes' && (
        <Dialog once open onOpenChange={(open) => !open && close()} title="Save your recovery codes">
          <RecoveryCodes
            codes={step.codes}
            onSaved={() => {
              close();
              toast(step.said);
            }}
          />
        </Dialog>
      )}
    </>
  );
}
