import type { ReactNode } from 'react';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { RegisterWithIdentityRequest } from '@/lib/api/request-schemas';
import { company, email, inviteCode, name, PUBLIC_NAME } from '@/lib/form/fields';
import { providerLabel } from '@/lib/session/sign-in-providers';
import { registerProven, type NewHere } from '../api/provider-sign-in';
import { useRegistration } from '../hooks/use-registration';

interface Props {
  readonly person: NewHere;
  readonly back: ReactNode;
  readonly onSignedIn: () => void;
  readonly onEnded: () => void;
}

/** A verified provider identity without an account: registration still requires an invite. */
export function RegisterProven({ person, back, onSignedIn, onEnded }: Props) {
  const { create, next } = useRegistration(registerProven(person.ticket), { onSignedIn, onEnded });
  const form = useRequestForm({
    request: RegisterWithIdentityRequest,
    initial: { inviteCode: '', email: person.email, name: person.name, company: '' },
    rules: { inviteCode, email, name, company },
    command: create,
  });
  if (next) return next;
  return (
    <Form form={form}>
      <p className="text-muted">{`Your ${providerLabel(person.provider)} sign-in is not linked to an account yet. With an invite code you can create one. If you have an account, sign in to it and link ${providerLabel(person.provider)} in the account settings.`}</p>
      <TextField
        label="Invite code"
        autoComplete="off"
        spellCheck={false}
        autoCapitalize="characters"
        className="[&_input]:font-mono"
        hint="Ask someone who has an account."
        {...form.field('inviteCode')}
      />
      <TextField label="Email" type="email" autoComplete="email" {...form.field('email')} />
      <TextField label="Name" autoComplete="name" hint={PUBLIC_NAME} {...form.field('name')} />
      <TextField label="Company (optional)" autoComplete="organization" {...form.field('company')} />
      <SubmitButton form={form} size="lg">
        {create.isPending ? 'Creating account...' : 'Create Account'}
      </SubmitButton>
      {back}
    </Form>
  );
}
