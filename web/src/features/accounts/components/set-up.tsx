import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/field';
import { ApiError } from '@/lib/api/errors';
import { setUp } from '../api/sign-in';
import { email, name, password } from '@/lib/fields';
import { PasswordField } from '@/components/ui/password-field';

const schema = z.object({ name, email, password });
type Values = z.infer<typeof schema>;

/** The first admin of a new installation, by the one-time link that the start prints. */
export function SetUp({ token, onDone }: { readonly token: string; readonly onDone: () => void }) {
  const form = useForm<Values>({ resolver: zodResolver(schema), defaultValues: { name: '', email: '', password: '' } });
  const { errors } = form.formState;
  const create = useMutation({
    mutationFn: (values: Values) => setUp({ ...values, token }),
    onSuccess: onDone,
    onError: (error) => {
      if (!(error instanceof ApiError)) return;
      for (const field of ['name', 'email', 'password'] as const) {
        if (error.fields[field]) form.setError(field, { message: error.fields[field] });
      }
    },
  });
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => void form.handleSubmit((values) => create.mutate(values))(event)}
    >
      <TextField label="Name" autoComplete="name" error={errors.name?.message} {...form.register('name')} />
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
      {create.error && <ErrorBox error={create.error} />}
      <Button type="submit" variant="primary" size="lg" busy={create.isPending}>
        Create admin
      </Button>
    </form>
  );
}
