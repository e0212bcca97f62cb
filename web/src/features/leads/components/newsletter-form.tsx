import { MailCheck } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import { subscribe } from '../api/leads';
import { Honeypot } from './honeypot';

interface Props {
  /** Source of the form; stored with the subscription. */
  readonly source?: string;
  readonly withName?: boolean;
}

/** Spec §4, §5, §8. The subscription starts once it is confirmed by email, which the form says after sending. */
export function NewsletterForm({ source = 'website', withName = false }: Props) {
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [website, setWebsite] = useState('');
  const send = useCommand(subscribe, {
    onSuccess: () => {
      setEmail('');
      setName('');
    },
  });
  const faults = send.error instanceof ApiError ? send.error.fields : {};
  return (
    <form
      className="relative flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (email.trim() && !send.isPending)
          send.mutate({ email: email.trim(), name: withName ? name.trim() : '', source, website });
      }}
    >
      {withName && (
        <TextField
          label="Name (optional)"
          autoComplete="name"
          error={faults['name']}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        required
        error={faults['email']}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Honeypot value={website} onChange={setWebsite} />
      <Button type="submit" variant="primary" size="lg" busy={send.isPending}>
        {send.isPending ? 'Subscribing...' : 'Subscribe'}
      </Button>
      <p role="status" className="flex items-start gap-2 text-muted empty:hidden">
        {send.isSuccess && (
          <>
            <MailCheck aria-hidden className="mt-0.5 size-4 shrink-0" />
            {send.data}
          </>
        )}
      </p>
    </form>
  );
}
