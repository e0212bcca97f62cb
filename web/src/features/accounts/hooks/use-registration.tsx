import type { UseMutationResult } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useCommand, type Command } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import { markFirstVisit } from '@/lib/session/first-visit';
import { startSession } from '@/lib/session';
import type { Registered } from '../api/sign-in';
import { FirstFactor } from '../components/first-factor';

interface Options {
  readonly onSignedIn: () => void;
  /** The account exists, and its second factor is set up now. */
  readonly onSecondStep?: ((shown: boolean) => void) | undefined;
  /** What this registration stood on has run out. */
  readonly onEnded?: () => void;
}

interface Registration<V> {
  readonly create: UseMutationResult<Registered, Error, V>;
  /** Two-factor setup, which replaces the form once the account exists. */
  readonly next: ReactNode;
}

/** What follows a registration's form: the account, its second factor, and only then the session; or why there is none. */
export function useRegistration<V>(
  command: Command<V, Registered>,
  { onSignedIn, onSecondStep, onEnded }: Options,
): Registration<V> {
  const [registered, setRegistered] = useState<Registered | null>(null);
  const create = useCommand(command, {
    onSuccess: (made) => {
      markFirstVisit(made.session.user.id);
      if (!made.factor) {
        startSession(made.session);
        onSignedIn();
        return;
      }
      setRegistered(made);
      onSecondStep?.(true);
    },
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'ticket_ended') onEnded?.();
    },
  });
  const next = registered?.factor ? (
    <FirstFactor session={registered.session} factor={registered.factor} onDone={onSignedIn} />
  ) : null;
  return { create, next };
}
