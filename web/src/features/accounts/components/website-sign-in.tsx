import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { CheckNotice } from '@/components/security/check-notice';
import { CodeStep } from '@/components/security/code-step';
import { bareCode, type Factor } from '@/components/security/factor';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/field';
import { PasswordField } from '@/components/ui/password-field';
import { ApiError, messageOf } from '@/lib/api/errors';
import { email, password, websiteApiKey } from '@/lib/fields';
import { toast, toastError } from '@/stores/toasts';
import { signInToWebsite, type WebsiteCredentials } from '../api/sign-in';

interface Fields extends WebsiteCredentials {
  readonly twoFactorCode: string;
}
interface Attempt {
  readonly credentials: WebsiteCredentials;
  readonly factor?: Factor | undefined;
}

const code = z.string().check(z.regex(/^$|^.{6}$/, 'A code has exactly 6 characters'));
const schema = z.object({ email, password, websiteApiKey, twoFactorCode: code });

/** Signing in to one website, with one of its secret keys. Credentials stay in memory for the second step only. */
export function WebsiteSignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [half, setHalf] = useState<WebsiteCredentials | null>(null);
  const form = useForm<Fields>({
    resolver: zodResolver(schema),
    defaultValues: { email: '', password: '', websiteApiKey: '', twoFactorCode: '' },
  });
  const { errors } = form.formState;
  const attempt = useMutation({
    mutationFn: ({ credentials, factor }: Attempt) => signInToWebsite(credentials, factor),
    onSuccess: (signedIn, { credentials }) => {
      if (signedIn) {
        onSignedIn();
        return;
      }
      setHalf(credentials);
      toast('2FA Required', 'Please enter your 2FA code to continue');
    },
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'ticket_ended') setHalf(null);
      toastError('Login Failed', messageOf(error, 'Invalid credentials'));
    },
  });
  if (half)
    return (
      <CodeStep
        busy={attempt.isPending}
        onBack={() => setHalf(null)}
        onFactor={(factor) => attempt.mutate({ credentials: half, factor })}
      />
    );
  const submit = ({ twoFactorCode, ...credentials }: Fields) =>
    attempt.mutate({ credentials, factor: twoFactorCode ? { kind: 'code', text: twoFactorCode } : undefined });
  return (
    <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void form.handleSubmit(submit)(event)}>
      <p className="text-muted">Access to one website only: its reports and keys.</p>
      <TextField
        label="Email"
        type="email"
        autoComplete="username"
        error={errors.email?.message}
        {...form.register('email')}
      />
      <PasswordField
        label="Password"
        autoComplete="current-password"
        error={errors.password?.message}
        {...form.register('password')}
      />
      <PasswordField
        label="Website API key"
        autoComplete="off"
        hint="A secret key of the website. It begins with sk_."
        what="API key"
        error={errors.websiteApiKey?.message}
        {...form.register('websiteApiKey')}
      />
      <TextField
        label="Two-factor code (optional)"
        inputMode="numeric"
        autoComplete="one-time-code"
        error={errors.twoFactorCode?.message}
        {...form.register('twoFactorCode', { setValueAs: bareCode })}
      />
      <Button type="submit" variant="primary" size="lg" busy={attempt.isPending}>
        {attempt.isPending ? 'Signing in...' : 'Sign In'}
      </Button>
      <CheckNotice />
    </form>
  );
}
