import { zodResolver } from '@hookform/resolvers/zod';
import type { ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/field';
import { PasswordField } from '@/components/ui/password-field';
import { company, email, inviteCode, name, password, PUBLIC_NAME } from '@/lib/fields';
import { register, type Registration } from '../api/sign-in';
import { useRegistration } from '../hooks/use-registration';

const schema = z.object({ email, password, name, company, inviteCode });
const FIELDS = ['email', 'password', 'name', 'company', 'inviteCode'] as const;

interface Props {
  readonly invite: string;
  /** What a person without a code can do. */
  readonly without?: ReactNode;
  readonly onSignedIn: () => void;
  readonly onSecondStep?: (shown: boolean) => void;
}

/** By invite only; then two-factor setup, before the session is stored. */
export function Register({ invite, without, onSignedIn, onSecondStep }: Props) {
  const form = useForm<Registration>({
    resolver: zodResolver(schema),
    defaultValues: { email: '', password: '', name: '', company: '', inviteCode: invite },
  });
  const { errors } = form.formState;
  const { create, next } = useRegistration({
    form,
    fields: FIELDS,
    send: register,
    onSignedIn,
    ...(onSecondStep ? { onSecondStep } : {}),
  });
  if (next) return next;
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => void form.handleSubmit((values) => create.mutate(values))(event)}
    >
      <TextField
        label="Email"
        type="email"
        autoComplete="username"
        error={errors.email?.message}
        {...form.register('email')}
      />
      <PasswordField
        label="Password"
        autoComplete="new-password"
        hint="At least 8 characters."
        error={errors.password?.message}
        {...form.register('password')}
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
      <Button type="submit" variant="primary" size="lg" busy={create.isPending}>
        {create.isPending ? 'Creating account...' : 'Create Account'}
      </Button>
      {without}
    </form>
  );
}
