import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { isComplete, NO_FACTOR } from '@/components/security/factor';
import { FactorField } from '@/components/security/factor-field';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { PasswordField } from '@/components/ui/password-field';
import { ApiError } from '@/lib/api/errors';
import { password } from '@/lib/fields';
import { toast } from '@/stores/toasts';
import { resetPassword } from '../api/sign-in';

const schema = z.object({ password });

/** A new password by email link. It replaces only the password: two-factor still applies. */
export function ResetPassword({ code, onDone }: { readonly code: string; readonly onDone: () => void }) {
  const [factor, setFactor] = useState(NO_FACTOR);
  const form = useForm<{ password: string }>({ resolver: zodResolver(schema), defaultValues: { password: '' } });
  const reset = useMutation({
    mutationFn: (values: { password: string }) => resetPassword(code, values.password, factor),
    onSuccess: () => {
      toast('Password changed', 'Sign in with your new password.');
      onDone();
    },
    onError: (error) => {
      if (error instanceof ApiError && error.fields['password'])
        form.setError('password', { message: error.fields['password'] });
    },
  });
  const refused = reset.error instanceof ApiError ? reset.error.code : '';
  const [asked, setAsked] = useState(false);
  if (refused === 'code_needed' && !asked) setAsked(true);
  const atField = form.formState.errors.password !== undefined || refused === 'code_needed' || refused === 'wrong_code';
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) =>
        void form.handleSubmit((values) => {
          if (!asked || isComplete(factor)) reset.mutate(values);
        })(event)
      }
    >
      <PasswordField
        label="New password"
        autoComplete="new-password"
        hint="At least 8 characters."
        error={form.formState.errors.password?.message}
        {...form.register('password')}
      />
      {asked && (
        <FactorField
          value={factor}
          onChange={setFactor}
          focused
          error={refused === 'wrong_code' ? reset.error?.message : undefined}
        />
      )}
      {reset.error && !atField && <ErrorBox error={reset.error} />}
      <Button type="submit" variant="primary" size="lg" busy={reset.isPending}>
        Set new password
      </Button>
    </form>
  );
}
