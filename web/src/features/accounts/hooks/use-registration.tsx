import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form';
import { ApiError, messageOf } from '@/lib/api/errors';
import { markFirstVisit } from '@/lib/first-visit';
import { startSession } from '@/lib/session';
import { toast, toastError } from '@/stores/toasts';
import type { Registered } from '../api/sign-in';
import { FirstFactor } from '../components/first-factor';

interface Options<V extends FieldValues> {
  readonly form: UseFormReturn<V>;
  readonly fields: readonly Path<V>[];
  readonly send: (values: V) => Promise<Registered>;
  readonly onSignedIn: () => void;
  /** The account exists, and its second factor is set up now. */
  readonly onSecondStep?: (shown: boolean) => void;
  /** What this registration stood on has run out. */
  readonly onEnded?: () => void;
}

interface Registration<V extends FieldValues> {
  readonly create: UseMutationResult<Registered, Error, V>;
  /** Two-factor setup, which replaces the form once the account exists. */
  readonly next: ReactNode;
}

/** What follows a registration's form: the account, its second factor, and only then the session; or why there is none. */
export function useRegistration<V extends FieldValues>({
  form,
  fields,
  send,
  onSignedIn,
  onSecondStep,
  onEnded,
}: Options<V>): Registration<V> {
  const [registered, setRegistered] = useState<Registered | null>(null);
  const create = useMutation({
    mutationFn: send,
    onSuccess: (made) => {
      markFirstVisit(made.session.user.id);
      if (!made.factor) {
        startSession(made.session);
        onSignedIn();
        return;
      }
      setRegistered(made);
      onSecondStep?.(true);
      toast('Account Created', 'Please set up 2FA to secure your account');
    },
    onError: (error) => {
      toastError('Registration Failed', messageOf(error, 'Failed to create account'));
      if (!(error instanceof ApiError)) return;
      if (error.code === 'ticket_ended') onEnded?.();
      const refused = fields.filter((field) => error.fields[field]);
      refused.forEach((field, index) =>
        form.setError(field, { message: error.fields[field] ?? '' }, { shouldFocus: index === 0 }),
      );
    },
  });
  const next = registered?.factor ? (
    <FirstFactor session={registered.session} factor={registered.factor} onDone={onSignedIn} />
  ) : null;
  return { create, next };
}
