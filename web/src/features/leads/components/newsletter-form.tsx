import { MailCheck } from 'lucide-react';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { Subscribe } from '@/lib/api/request-schemas';
import { subscribe } from '../api/leads';
import { Honeypot } from './honeypot';

interface Props {
  /** Source of the form; stored with the subscription. */
  readonly source?: string;
  readonly withName?: boolean;
}

/** Spec §4, §5, §8. The subscription starts once it is confirmed by email, which the form says after sending. */
export function NewsletterForm({ source = 'website', withName = false }: Props) {
  const send = useCommand(subscribe, {
    onSuccess: () => {
      form.reset();
    },
  });
  const form = useRequestForm({
    request: Subscribe,
    initial: { email: '', name: '', website: '' },
    command: send,
    input: (values) => ({ ...values, source }),
  });
  return (
    <Form form={form} native className="relative flex flex-col gap-4">
      {withName && <TextField label="Name (optional)" autoComplete="name" {...form.field('name')} />}
      <TextField label="Email" type="email" autoComplete="email" {...form.field('email')} />
      <Honeypot value={form.values.website} onChange={form.set('website')} />
      <SubmitButton form={form} size="lg">
        {send.isPending ? 'Subscribing...' : 'Subscribe'}
      </SubmitButton>
      <p role="status" className="flex items-start gap-2 text-muted empty:hidden">
        {send.isSuccess && (
          <>
            <MailCheck aria-hidden className="mt-0.5 size-4 shrink-0" />
            {send.data}
          </>
        )}
      </p>
    </Form>
  );
}
