import { useState } from 'react';
import { isComplete, NO_FACTOR } from '@/components/security/factor';
import { FactorField } from '@/components/security/factor-field';
import { Form, FormError, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { PasswordField } from '@/components/ui/password-field';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import { ResetPassword as Request } from '@/lib/api/request-schemas';
import { password } from '@/lib/form/fields';
import { resetPassword } from '../api/sign-in';

/** A new password by email link. It replaces only the password: two-factor still applies. */
export function ResetPassword({ code, onDone }: { readonly code: string; readonly onDone: () => void }) {
  const reset = useCommand(resetPassword, { onSuccess: onDone });
  const refused = reset.error instanceof ApiError ? reset.error.code : '';
  const [asked, setAsked] = useState(false);
  if (refused === 'code_needed' && !asked) setAsked(true);
  const form = useRequestForm({
    request: Request,
    initial: { password: '', factor: NO_FACTOR },
    rules: { password },
    command: reset,
    ready: ({ factor }) => !asked || isComplete(factor),
    input: (values) => ({ ...values, code }),
  });
  return (
    <Form form={form}>
      <PasswordField
        label="New password"
        autoComplete="new-password"
        hint="At least 8 characters."
        {...form.field('password')}
      />
      {asked && (
        <FactorField
          value={form.values.factor}
          onChange={form.set('factor')}
          focused
          error={refused === 'wrong_code' ? reset.error?.message : undefined}
        />
      )}
      {refused !== 'code_needed' && refused !== 'wrong_code' && <FormError form={form} />}
      <SubmitButton form={form} size="lg">
        Set new password
      </SubmitButton>
    </Form>
  );
}
