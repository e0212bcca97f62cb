import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FactorSetUp, type FactorToSetUp } from '@/components/security/factor-set-up';
import { RecoveryCodes } from '@/components/security/recovery-codes';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Dialog } from '@/components/ui/dialog';
import { useCommand } from '@/lib/api/command';
import type { Account } from '@/lib/api/types';
import { userQuery } from '@/lib/api/shared-queries';
import { toast } from '@/stores/toasts';
import { Loaded } from './loaded';
import { ProofDialog } from '@/components/security/proof-dialog';
import {
  confirmFactor,
  disableFactor,
  FACTOR_CHANGES,
  isTooOld,
  newRecoveryCodes,
  setUpFactor,
  startFactor,
} from '../api/two-factor';

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
  const changed = () => Promise.all(FACTOR_CHANGES.map((queryKey) => client.invalidateQueries({ queryKey })));
  const begin = (factor: FactorToSetUp) => {
    confirm.reset(); // a wrong code of an earlier try is no matter of this one
    setStep({ at: 'set-up', factor });
  };
  const start = useCommand(startFactor, {
    onSuccess: begin,
    // The sign-in is too old: the password is required again.
    onError: (error) => isTooOld(error) && setStep({ at: 'prove', what: 'set-up' }),
  });
  const confirm = useCommand(confirmFactor, {
    onSuccess: (codes) => setStep({ at: 'codes', codes, said: 'Two-factor authentication is on' }),
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
          run={async (proof) => begin(await setUpFactor(proof))}
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
            const codes = await newRecoveryCodes(proof);
            setStep({ at: 'codes', codes, said: 'Recovery codes regenerated' });
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
            await disableFactor(proof);
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
