import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { CheckNotice } from '@/components/security/check-notice';
import type { Factor } from '@/components/security/factor';
import { Loading } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/field';
import { PasswordField } from '@/components/ui/password-field';
import { ApiError, messageOf } from '@/lib/api/errors';
import { email, password } from '@/lib/fields';
import { toast, toastError } from '@/stores/toasts';
import { signIn, type Credentials } from '../api/sign-in';
import { ProviderButtons } from './provider-buttons';

const CodeStep = lazy(() => import('@/components/security/code-step').then((module) => ({ default: module.CodeStep })));
const schema = z.object({ email, password });

interface Half {
  readonly credentials: Credentials;
  readonly ticket: string;
}
interface Attempt {
  readonly credentials: Credentials;
  readonly ticket?: string;
  readonly factor?: Factor;
}

interface Props {
  readonly next?: string | undefined;
  readonly onSignedIn: () => void;
  /** True: the second step is shown. */
  readonly onSecondStep?: (shown: boolean) => void;
}

/** Credentials, then a code if the account has a second factor. The password stays in memory for that step only. */
export function SignIn({ next, onSignedIn, onSecondStep }: Props) {
  const [half, setHalfStep] = useState<Half | null>(null);
  const setHalf = (step: Half | null) => {
    setHalfStep(step);
    onSecondStep?.(step !== null);
  };
  const attempt = useMutation({
    mutationFn: ({ credentials, factor, ticket }: Attempt) => signIn(credentials, factor, ticket),
    onSuccess: (result, { credentials }) => {
      if (result.signedIn) {
        onSignedIn();
        return;
      }
      setHalf({ credentials, ticket: result.ticket });
      toast('2FA Required', 'Please enter your 2FA code to continue');
    },
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'ticket_ended') setHalf(null);
      toastError('Login Failed', messageOf(error, 'Invalid credentials'));
    },
  });
  return half ? (
    <Suspense fallback={<Loading label="Loading the form" />}>
      <CodeStep
        busy={attempt.isPending}
        onBack={() => setHalf(null)}
        onFactor={(factor) => attempt.mutate({ ...half, factor })}
      />
    </Suspense>
  ) : (
    <>
      <CredentialsForm busy={attempt.isPending} onSubmit={(credentials) => attempt.mutate({ credentials })} />
      <ProviderButtons next={next} />
    </>
  );
}

function CredentialsForm({
  busy,
  onSubmit,
}: {
  readonly busy: boolean;
  readonly onSubmit: (credentials: Credentials) => void;
}) {
  const form = useForm<Credentials>({ resolver: zodResolver(schema), defaultValues: { email: '', password: '' } });
  const { errors } = form.formState;
  return (
    <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void form.handleSubmit(onSubmit)(event)}>
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
      <Button type="submit" variant="primary" size="lg" busy={busy}>
        {busy ? 'Signing in...' : 'Sign In'}
      </Button>
      <CheckNotice />
      <Link
        to="/forgot-password"
        className="self-center rounded-md text-[0.8125rem] font-medium text-brand underline-offset-4 hover:underline"
      >
        Forgot your password?
      </Link>
    </form>
  );
}
