import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode } from 'react';
import { ErrorBox, Loading } from '@/components/data/states';
import { CodeStep } from '@/components/security/code-step';
import type { Factor } from '@/components/security/factor';
import { ApiError, messageOf } from '@/lib/api/errors';
import { providerLabel } from '@/lib/sign-in-providers';
import { toast, toastError } from '@/stores/toasts';
import { finishSignIn } from '../api/sign-in';
import { exchange } from '../api/provider-sign-in';
import { RegisterProven } from './register-proven';

interface Props {
  readonly code: string;
  /** A link back. */
  readonly back: ReactNode;
  readonly onSignedIn: () => void;
  readonly onLinked: () => void;
  readonly onBack: () => void;
}

/** Return from a provider: exchanges the code, then requests missing data or continues. */
export function FinishSignIn({ code, back, onSignedIn, onLinked, onBack }: Props) {
  const attempt = useMutation({
    mutationFn: exchange,
    onSuccess: (result) => {
      if (result.kind === 'signed-in') onSignedIn();
      if (result.kind === 'code-needed') toast('2FA Required', 'Please enter your 2FA code to continue');
      if (result.kind === 'linked') {
        toast('Sign-in linked', `You can now sign in with ${providerLabel(result.provider)}.`);
        onLinked();
      }
    },
  });
  const exchanged = useRef(false); // the code works once
  const { mutate } = attempt;
  useEffect(() => {
    if (exchanged.current) return;
    exchanged.current = true;
    mutate(code);
  }, [code, mutate]);

  if (attempt.error) {
    return (
      <>
        <ErrorBox error={attempt.error} className="mb-5" />
        {back}
      </>
    );
  }
  const result = attempt.data;
  if (result?.kind === 'code-needed')
    return <SecondStep ticket={result.ticket} onSignedIn={onSignedIn} onBack={onBack} />;
  if (result?.kind === 'new-here')
    return <RegisterProven person={result.person} back={back} onSignedIn={onSignedIn} onEnded={onBack} />;
  return <Loading label="Signing in..." />;
}

function SecondStep({
  ticket,
  onSignedIn,
  onBack,
}: {
  readonly ticket: string;
  readonly onSignedIn: () => void;
  readonly onBack: () => void;
}) {
  const finish = useMutation({
    mutationFn: (factor: Factor) => finishSignIn(ticket, factor),
    onSuccess: onSignedIn,
    onError: (error) => {
      toastError('Login Failed', messageOf(error, 'Invalid credentials'));
      if (error instanceof ApiError && error.code === 'ticket_ended') onBack();
    },
  });
  return <CodeStep busy={finish.isPending} onBack={onBack} onFactor={(factor) => finish.mutate(factor)} />;
}
