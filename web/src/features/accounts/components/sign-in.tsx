import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { CheckNotice } from '@/components/security/check-notice';
import { Loading } from '@/components/data/states';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm, type RequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { PasswordField } from '@/components/ui/password-field';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import { LoginRequest } from '@/lib/api/request-schemas';
import { email, password } from '@/lib/form/fields';
import { signIn, type Credentials } from '../api/sign-in';
import { ProviderButtons } from './provider-buttons';

const CodeStep = lazy(() => import('@/components/security/code-step').then((module) => ({ default: module.CodeStep })));

interface Half {
  readonly credentials: Credentials;
  readonly ticket: string;
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
  const attempt = useCommand(signIn, {
    onSuccess: (result, { credentials }) => {
      if (result.signedIn) onSignedIn();
      else setHalf({ credentials, ticket: result.ticket });
    },
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'ticket_ended') setHalf(null);
    },
  });
  const form = useRequestForm({
    request: LoginRequest,
    initial: { email: '', password: '' },
    rules: { email, password },
    command: attempt,
    input: (credentials) => ({ credentials }),
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
      <CredentialsForm form={form} />
      <ProviderButtons next={next} />
    </>
  );
}

function CredentialsForm({ form }: { readonly form: RequestForm<{ email: string; password: string }> }) {
  return (
    <Form form={form}>
      <TextField label="Email" type="email" autoComplete="username" {...form.field('email')} />
      <PasswordField label="Password" autoComplete="current-password" {...form.field('password')} />
      <SubmitButton form={form} size="lg">
        {form.isPending ? 'Signing in...' : 'Sign In'}
      </SubmitButton>
      <CheckNotice />
      <Link
        to="/forgot-password"
        className="self-center rounded-md text-[0.8125rem] font-medium text-brand underline-offset-4 hover:underline"
      >
        Forgot your password?
      </Link>
    </Form>
  );
}
