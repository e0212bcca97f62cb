import { MailCheck } from 'lucide-react';
import { Empty } from '@/components/data/states';
import { Form, FormError, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ForgotPassword as Request } from '@/lib/api/request-schemas';
import { email } from '@/lib/form/fields';
import { forgotPassword } from '../api/sign-in';

/** Says the same whether there is an account or not. */
export function ForgotPassword() {
  const ask = useCommand(forgotPassword);
  const form = useRequestForm({ request: Request, initial: { email: '' }, rules: { email }, command: ask });
  if (ask.isSuccess) {
    return (
      <Empty icon={<MailCheck aria-hidden className="size-5" />} title="Check your email" className="py-6">
        If {ask.variables.email} has an account, we sent a reset link. It works once, for one hour.
      </Empty>
    );
  }
  return (
    <Form form={form}>
      <TextField label="Email" type="email" autoComplete="username" {...form.field('email')} />
      <FormError form={form} />
      <SubmitButton form={form} size="lg">
        Send the link
      </SubmitButton>
    </Form>
  );
}
