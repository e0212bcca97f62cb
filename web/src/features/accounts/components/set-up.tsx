import { Form, FormError, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { SetupRequest } from '@/lib/api/request-schemas';
import { setUp } from '../api/sign-in';
import { email, name, password } from '@/lib/form/fields';
import { PasswordField } from '@/components/ui/password-field';

/** The first admin of a new installation, by the one-time link that the start prints. */
export function SetUp({ token, onDone }: { readonly token: string; readonly onDone: () => void }) {
  const form = useRequestForm({
    request: SetupRequest,
    initial: { name: '', email: '', password: '' },
    rules: { name, email, password },
    command: useCommand(setUp, { onSuccess: onDone }),
    input: (values) => ({ ...values, token }),
  });
  return (
    <Form form={form}>
      <TextField label="Name" autoComplete="name" {...form.field('name')} />
      <TextField label="Email" type="email" autoComplete="username" {...form.field('email')} />
      <PasswordField
        label="Password"
        autoComplete="new-password"
        hint="At least 8 characters."
        {...form.field('password')}
      />
      <FormError form={form} />
      <SubmitButton form={form} size="lg">
        Create admin
      </SubmitButton>
    </Form>
  );
}
