import type { ReactNode } from 'react';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { PasswordField } from '@/components/ui/password-field';
import { RegisterRequest } from '@/lib/api/request-schemas';
import { company, email, inviteCode, name, password, PUBLIC_NAME } from '@/lib/form/fields';
import { register } from '../api/sign-in';
import { useRegistration } from '../hooks/use-registration';

interface Props {
  readonly invite: string;
  /** What a person without a code can do. */
  readonly without?: ReactNode;
  readonly onSignedIn: () => void;
  readonly onSecondStep?: (shown: boolean) => void;
}

/** By invite only; then two-factor setup, before the session is stored. */
export function Register({ invite, without, onSignedIn, onSecondStep }: Props) {
  const { create, next } = useRegistration(register, { onSignedIn, onSecondStep });
  const form = useRequestForm({
    request: RegisterRequest,
    initial: { email: '', password: '', name: '', company: '', inviteCode: invite },
    rules: { email, password, name, company, inviteCode },
    command: create,
  });
  if (next) return next;
  return (
    <Form form={form}>
      <TextField label="Email" type="email" autoComplete="username" {...form.field('email')} />
      <PasswordField
        label="Password"
        autoComplete="new-password"
        hint="At least 8 characters."
        {...form.field('password')}
      />
      <TextField label="Name" autoComplete="name" hint={PUBLIC_NAME} {...form.field('name')} />
      <TextField label="Company (optional)" autoComplete="organization" {...form.field('company')} />
      <TextField
        label="Invite code"
        autoComplete="off"
        spellCheck={false}
        autoCapitalize="characters"
        className="[&_input]:font-mono"
        hint="Ask someone who has an account."
        {...form.field('inviteCode')}
      />
      <SubmitButton form={form} size="lg">
        {create.isPending ? 'Creating account...' : 'Create Account'}
      </SubmitButton>
      {without}
    </Form>
  );
}
