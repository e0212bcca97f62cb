import { useState } from 'react';
import { FactorSetUp, type FactorToSetUp } from '@/components/security/factor-set-up';
import { RecoveryCodes } from '@/components/security/recovery-codes';
import { useCommand } from '@/lib/api/command';
import { startSession, type Session } from '@/lib/session';
import { confirmFirstFactor } from '../api/sign-in';

interface Props {
  readonly session: Session;
  readonly factor: FactorToSetUp;
  readonly onDone: () => void;
}

/** The end of a registration: set up the second factor, keep the recovery codes, go in. */
export function FirstFactor({ session, factor, onDone }: Props) {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const confirm = useCommand(confirmFirstFactor(session), { onSuccess: setCodes });
  const enter = () => {
    startSession(session);
    onDone();
  };
  return (
    <section aria-labelledby="first-factor">
      <h2 id="first-factor" className="mb-3 text-base font-semibold">
        {codes ? 'Save your recovery codes' : 'Set up two-factor authentication'}
      </h2>
      {codes ? (
        <RecoveryCodes codes={codes} onSaved={enter} />
      ) : (
        <FactorSetUp
          factor={factor}
          busy={confirm.isPending}
          error={confirm.error}
          onCode={(code) => confirm.mutate(code)}
          later={{ label: 'Set up later', onSelect: enter }}
        />
      )}
    </section>
  );
}
