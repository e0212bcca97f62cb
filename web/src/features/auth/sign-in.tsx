import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/field';
import { messageOf } from '@/lib/api/errors';
import { toast, toastError } from '@/stores/toasts';
import { signIn, type Credentials } from './api';
import { CODE_LENGTH, email, password } from './fields';
import { PasswordField } from './password-field';

const schema = z.object({ email, password });

/** Credentials, then a code if the account has a second factor. The password stays in memory for that step only. */
export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [pending, setPending] = useState<Credentials | null>(null);
  const attempt = useMutation({
    mutationFn: ({ credentials, code }: { credentials: Credentials; code?: string }) => signIn(credentials, code),
    onSuccess: (result, { credentials }) => {
      if (result === 'signed-in') {
        onSignedIn();
        return;
      }
      setPending(credentials);
      toast('2FA Required', 'Please enter your 2FA code to continue');
    },
    onError: (error) => toastError('Login Failed', messageOf(error, 'Invalid credentials')),
  });
  return pending ? (
    <CodeForm busy={attempt.isPending} onBack={() => setPending(null)} onCode={(code) => attempt.mutate({ credentials: pending, code })} />
  ) : (
    <CredentialsForm busy={attempt.isPending} onSubmit={(credentials) => attempt.mutate({ credentials })} />
  );
}

function CredentialsForm({ busy, onSubmit }: { readonly busy: boolean; readonly onSubmit: (credentials: Credentials) => void }) {
  const form = useForm<Credentials>({ resolver: zodResolver(schema), defaultValues: { email: '', password: '' } });
  const { errors } = form.formState;
  return (
    <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void form.handleSubmit(onSubmit)(event)}>
      <TextField label="Email" type="email" autoComplete="username" error={errors.email?.message} {...form.register('email')} />
      <PasswordField label="Password" autoComplete="current-password" error={errors.password?.message} {...form.register('password')} />
      <Button type="submit" variant="primary" size="lg" busy={busy}>
        {busy ? 'Signing in...' : 'Sign In'}
      </Button>
    </form>
  );
}

function CodeForm({ busy, onBack, onCode }: { readonly busy: boolean; readonly onBack: () => void; readonly onCode: (code: string) => void }) {
  const [code, setCode] = useState('');
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (code.length === CODE_LENGTH) onCode(code);
      }}
    >
      <TextField
        label="Two-factor code" hint="The six digits that your authenticator app shows." autoFocus inputMode="numeric" autoComplete="one-time-code"
        maxLength={CODE_LENGTH} className="[&_input]:text-center [&_input]:text-lg [&_input]:tracking-[0.4em]" value={code}
        onChange={(event) => setCode(event.target.value.replace(/\s/g, ''))}
      />
      <Button type="submit" variant="primary" size="lg" busy={busy} disabled={code.length !== CODE_LENGTH}>
        Verify
      </Button>
      <Button variant="ghost" onClick={onBack}>
        Back to Login
      </Button>
    </form>
  );
}
