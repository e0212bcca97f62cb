import { useState } from 'react';
import { CheckNotice } from '@/components/security/check-notice';
import { CodeStep } from '@/components/security/code-step';
import { bareCode } from '@/components/security/factor';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { PasswordField } from '@/components/ui/password-field';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import { WebsiteLogin } from '@/lib/api/request-schemas';
import { email, password, websiteApiKey } from '@/lib/form/fields';
import type { Check } from '@/lib/form/rules';
import { signInToWebsite, type WebsiteCredentials } from '../api/sign-in';

const codeOrNothing: Check = (text) =>
  /^$|^.{6}$/.test(bareCode(text)) ? undefined : 'A code has exactly 6 characters';

/** Signing in to one website, with one of its secret keys. Credentials stay in memory for the second step only. */
export function WebsiteSignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [half, setHalf] = useState<WebsiteCredentials | null>(null);
  const attempt = useCommand(signInToWebsite, {
    onSuccess: (signedIn, { credentials }) => {
      if (signedIn) onSignedIn();
      else setHalf(credentials);
    },
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'ticket_ended') setHalf(null);
    },
  });
  const form = useRequestForm({
    request: WebsiteLogin,
    initial: { email: '', password: '', websiteApiKey: '', twoFactorCode: '' },
    rules: { email, password, websiteApiKey, twoFactorCode: codeOrNothing },
    command: attempt,
    input: ({ twoFactorCode, ...credentials }) => {
      const text = bareCode(twoFactorCode);
      return { credentials, factor: text ? { kind: 'code', text } : undefined };
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
  return (
    <Form form={form}>
      <p className="text-muted">Access to one website only: its reports and keys.</p>
      <TextField label="Email" type="email" autoComplete="username" {...form.field('email')} />
      <PasswordField label="Password" autoComplete="current-password" {...form.field('password')} />
      <PasswordField
        label="Website API key"
        autoComplete="off"
        hint="A secret key of the website. It begins with sk_."
        what="API key"
        {...form.field('websiteApiKey')}
      />
      <TextField
        label="Two-factor code (optional)"
        inputMode="numeric"
        autoComplete="one-time-code"
        {...form.field('twoFactorCode')}
      />
      <SubmitButton form={form} size="lg">
        {attempt.isPending ? 'Signing in...' : 'Sign In'}
      </SubmitButton>
      <CheckNotice />
    </Form>
  );
}
