import { useId, useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { SelectField, TextArea, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import { inquire, SERVICES, type Inquiring, type Service } from '../api/leads';
import { Honeypot } from './honeypot';

interface Props {
  /** Preselected, and updated when it changes. */
  readonly service?: Service | undefined;
}

const EMPTY: Inquiring = { firstName: '', lastName: '', email: '', serviceInterest: '', message: '', website: '' };

/** Spec §4, §5, §8: the browser checks what is required; the server's own objections show at their fields. */
export function InquiryForm({ service }: Props) {
  const [values, setValues] = useState<Inquiring>({ ...EMPTY, serviceInterest: service ?? '' });
  const [asked, setAsked] = useState(service);
  if (asked !== service) {
    setAsked(service);
    if (service) setValues({ ...values, serviceInterest: service });
  }
  const heading = useId();
  const send = useCommand(inquire, { onSuccess: () => setValues(EMPTY) });
  const faults = send.error instanceof ApiError ? send.error.fields : {};
  const field = <Name extends keyof Inquiring>(name: Name) => ({
    name,
    value: values[name],
    error: faults[name],
    onChange: (event: { target: { value: string } }) => setValues({ ...values, [name]: event.target.value }),
  });
  return (
    <form
      aria-labelledby={heading}
      className="relative flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!send.isPending) send.mutate(values);
      }}
    >
      <h2 id={heading} className="text-xl font-semibold">
        Ready to Get Started?
      </h2>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="First Name" autoComplete="given-name" required {...field('firstName')} />
        <TextField label="Last Name" autoComplete="family-name" required {...field('lastName')} />
      </div>
      <TextField label="Email" type="email" autoComplete="email" required {...field('email')} />
      <SelectField label="Service Interest" {...field('serviceInterest')}>
        <option value="">Select a service</option>
        {SERVICES.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </SelectField>
      <TextArea label="Message" rows={6} required {...field('message')} />
      <Honeypot value={values.website} onChange={(website) => setValues({ ...values, website })} />
      {send.error && Object.keys(faults).length === 0 && <ErrorBox error={send.error} />}
      <Button type="submit" variant="primary" size="lg" busy={send.isPending} className="self-start">
        {send.isPending ? 'Submitting...' : 'Submit Inquiry'}
      </Button>
    </form>
  );
}
