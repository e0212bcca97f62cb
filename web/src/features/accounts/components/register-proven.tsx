import { zodResolver } from '@hookform/resolvers/zod';
import type { ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/field';
import { company, email, inviteCode, name, PUBLIC_NAME } from '@/lib/fields';
import { providerLabel } from '@/lib/sign-in-providers';
import { registerProven, type NewHere, type ProvenRegistration } from '../api/provider-sign-in';
import { useRegistration } from '../hooks/use-registration';

const schema = z.object({ inviteCode, email, name, company });
const FIELDS = ['inviteCode', 'email', 'name', 'company'] as const;

interface Props {
  readonly person: NewHere;
  readonly back: ReactNode;
  readonly onSignedIn: () => void;
  readonly onEnded: () => void;
}

/** A verified provider identity without an account: registration still requires an invite. */
export function RegisterProven({ person, back, onSignedIn, onEnded }: Props) {
  const form = useForm<ProvenRegistration>({
    resolver: zodResolver(schema),
    defaultValues: { inviteCode: '', email: person.email, name: person.name, company: '' },
  });
  const { errors } = form.formState;
  const { create, next } = useRegistration({
    form,
    fields: FIELDS,
    send: (values: ProvenRegistration) => registerProven(person.ticket, values),
    onSignedIn,
    onEnded,
  });
  if (next) return next;
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => void form.handleSubmit((values) => create.mutate(values))(event)}
    >
      <p className="text-muted">{`Your ${providerLabel(person.provider)} sign-in is not linked to an account yet. With an invite code you can create one. If you have an account, sign in to it and link ${providerLabel(person.provider)} in the account settings.`}</p>
      <TextField
        label="Invite code"
        autoComplete="off"
        spellCheck={false}
        autoCapitalize="characters"
        className="[&_input]:font-mono"
        hint="Ask someone who has an account."
        error={errors.inviteCode?.message}
        {...form.register('inviteCode')}
      />
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        error={errors.email?.message}
        {...form.register('email')}
      />
      <TextField
        label="Name"
        autoComplete="name"
        hint={PUBLIC_NAME}
        error={errors.name?.message}
        {...form.register('name')}
      />
      <TextField
        label="Company (optional)"
        autoComplete="organization"
        error={errors.company?.message}
        {...form.register('company')}
      />
      <Button type="submit" variant="primary" size="lg" busy={create.isPending}>
        {create.isPending ? 'Creating account...' : 'Create Account'}
      </Button>
      {back}
    </form>
  );
}
