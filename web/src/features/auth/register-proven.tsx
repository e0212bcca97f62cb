import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/field';
import { ApiError, messageOf } from '@/lib/api/errors';
import { company, email, inviteCode, name } from '@/lib/fields';
import { startSession } from '@/lib/session';
import { providerLabel } from '@/lib/sign-in-providers';
import { toast, toastError } from '@/stores/toasts';
import type { Registered } from './api';
import { FirstFactor } from './first-factor';
import { registerProven, type NewHere, type ProvenRegistration } from './provider-api';

const schema = z.object({ inviteCode, email, name, company });
const FIELDS = ['inviteCode', 'email', 'name', 'company'] as const;

interface Props {
  readonly person: NewHere;
  readonly back: ReactNode;
  readonly onSignedIn: () => void;
  readonly onEnded: () => void;
}

/** Somebody a provider has proven, without an account yet: membership is by invite for them, too. */
export function RegisterProven({ person, back, onSignedIn, onEnded }: Props) {
  const [registered, setRegistered] = useState<Registered | null>(null);
  const form = useForm<ProvenRegistration>({
    resolver: zodResolver(schema),
    defaultValues: { inviteCode: '', email: person.email, name: person.name, company: '' },
  });
  const { errors } = form.formState;
  const create = useMutation({
    mutationFn: (values: ProvenRegistration) => registerProven(person.ticket, values),
    onSuccess: (made) => {
      if (!made.factor) {
        startSession(made.session);
        onSignedIn();
        return;
      }
      setRegistered(made);
      toast('Account Created', 'Please set up 2FA to secure your account');
    },
    onError: (error) => {
      toastError('Registration Failed', messageOf(error, 'Failed to create account'));
      if (!(error instanceof ApiError)) return;
      if (error.code === 'ticket_ended') onEnded();
      for (const field of FIELDS) {
        if (error.fields[field]) form.setError(field, { message: error.fields[field] });
      }
    },
  });
  if (registered?.factor) return <FirstFactor session={registered.session} factor={registered.factor} onDone={onSignedIn} />;
  return (
    <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void form.handleSubmit((values) => create.mutate(values))(event)}>
      <p className="text-muted">{`Your ${providerLabel(person.provider)} sign-in is not linked to an account yet. With an invite code you can create one. If you have an account, sign in to it and link ${providerLabel(person.provider)} in the account settings.`}</p>
      <TextField
        label="Invite code" autoComplete="off" spellCheck={false} autoCapitalize="characters" className="[&_input]:font-mono" hint="From somebody who has an account."
        error={errors.inviteCode?.message} {...form.register('inviteCode')}
      />
      <TextField label="Email" type="email" autoComplete="email" error={errors.email?.message} {...form.register('email')} />
      <TextField label="Name" autoComplete="name" error={errors.name?.message} {...form.register('name')} />
      <TextField label="Company (optional)" autoComplete="organization" error={errors.company?.message} {...form.register('company')} />
      <Button type="submit" variant="primary" size="lg" busy={create.isPending}>
        {create.isPending ? 'Creating account...' : 'Create Account'}
      </Button>
      {back}
    </form>
  );
}
