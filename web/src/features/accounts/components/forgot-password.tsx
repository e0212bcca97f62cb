import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation } from '@tanstack/react-query';
import { MailCheck } from 'lucide-react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Empty, ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/field';
import { email } from '@/lib/fields';
import { forgotPassword } from '../api/sign-in';

const schema = z.object({ email });

/** Says the same whether there is an account or not. */
export function ForgotPassword() {
  const form = useForm<{ email: string }>({ resolver: zodResolver(schema), defaultValues: { email: '' } });
  const ask = useMutation({ mutationFn: (values: { email: string }) => forgotPassword(values.email) });
  if (ask.isSuccess) {
    return (
      <Empty icon={<MailCheck aria-hidden className="size-5" />} title="Check your email" className="py-6">
        If {ask.variables.email} has an account, we sent a reset link. It works once, for one hour.
      </Empty>
    );
  }
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => void form.handleSubmit((values) => ask.mutate(values))(event)}
    >
      <TextField
        label="Email"
        type="email"
        autoComplete="username"
        error={form.formState.errors.email?.message}
        {...form.register('email')}
      />
      {ask.error && <ErrorBox error={ask.error} />}
      <Button type="submit" variant="primary" size="lg" busy={ask.isPending}>
        Send the link
      </Button>
    </form>
  );
}
