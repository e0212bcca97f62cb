import { useEffect, useEffectEvent, useId } from 'react';
import { Form, FormError, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { SelectField, TextArea, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { Contact } from '@/lib/api/request-schemas';
import { inquire, SERVICES, type Inquiring, type Service } from '../api/leads';
import { Honeypot } from './honeypot';

interface Props {
  /** Preselected, and updated when it changes. */
  readonly service?: Service | undefined;
}

const EMPTY: Inquiring = { firstName: '', lastName: '', email: '', serviceInterest: '', message: '', website: '' };

/** Spec §4, §5, §8: the browser checks what is required; the server's own objections show at their fields. */
export function InquiryForm({ service }: Props) {
  const form = useRequestForm({
    request: Contact,
    initial: { ...EMPTY, serviceInterest: service ?? '' } satisfies Inquiring as Inquiring,
    command: useCommand(inquire, {
      onSuccess: () => {
        form.reset(EMPTY);
      },
    }),
  });
  const set = useEffectEvent(form.set('serviceInterest'));
  useEffect(() => {
    if (service) set(service);
  }, [service]);
  const heading = useId();
  return (
    <Form form={form} native aria-labelledby={heading} className="relative flex flex-col gap-4">
      <h2 id={heading} className="text-xl font-semibold">
        Ready to Get Started?
      </h2>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="First Name" autoComplete="given-name" {...form.field('firstName')} />
        <TextField label="Last Name" autoComplete="family-name" {...form.field('lastName')} />
      </div>
      <TextField label="Email" type="email" autoComplete="email" {...form.field('email')} />
      <SelectField label="Service Interest" {...form.field('serviceInterest')}>
        <option value="">Select a service</option>
        {SERVICES.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </SelectField>
      <TextArea label="Message" rows={6} {...form.field('message')} />
      <Honeypot value={form.values.website ?? ''} onChange={form.set('website')} />
      <FormError form={form} />
      <SubmitButton form={form} size="lg" className="self-start">
        {form.isPending ? 'Submitting...' : 'Submit Inquiry'}
      </SubmitButton>
    </Form>
  );
}
