import { useEffect, useRef, type ReactNode } from 'react';
import { ErrorBox, Loading } from '@/components/data/states';
import { CodeStep } from '@/components/security/code-step';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
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
  const attempt = useCommand(exchange, {
    onSuccess: (result) => {
      if (result.kind === 'signed-in') onSignedIn();
      if (result.kind === 'linked') onLinked();
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
  const finish = useCommand(finishSignIn(ticket), {
    onSuccess: onSignedIn,
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'ticket_ended') onBack();
    },
  });
  return <CodeStep busy={finish.isPending} onBack={onBack} onFactor={(factor) => finish.mutate(factor)} />;
}
