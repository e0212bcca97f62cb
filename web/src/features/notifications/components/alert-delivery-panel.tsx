import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Check } from '@/components/ui/check';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { messageOf } from '@/lib/api/errors';
import { deliveryQuery, setDelivery, type AlertDelivery } from '../api/alerts';

/** Alerts by email, and the hours in which emails and webhooks wait. */
export function AlertDeliveryPanel() {
  const query = useQuery(deliveryQuery);
  return (
    <Card
      title="Email and quiet hours"
      description="Alerts appear in the app immediately. Emails and webhooks wait until your quiet hours end; several alerts are then one email."
    >
      {query.error && !query.data ? (
        <ErrorBox error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data ? (
        <DeliveryForm key={JSON.stringify(query.data)} delivery={query.data} />
      ) : (
        <Skeleton className="h-40" />
      )}
    </Card>
  );
}

const NIGHT = { quietFrom: '22:00', quietUntil: '07:00' } as const;

function DeliveryForm({ delivery }: { readonly delivery: AlertDelivery }) {
  const [form, setForm] = useState(delivery);
  const isQuiet = Boolean(form.quietFrom);
  const save = useCommand(setDelivery);
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(form);
      }}
    >
      <Check
        label="Email me alerts"
        checked={form.mail}
        onChange={(mail) => setForm({ ...form, mail, mailResolved: mail && form.mailResolved })}
      />
      <Check
        label="Email me when an alert is resolved"
        checked={form.mailResolved}
        disabled={!form.mail}
        onChange={(mailResolved) => setForm({ ...form, mailResolved })}
      />
      <Check
        label={`Quiet hours (${form.timezone})`}
        checked={isQuiet}
        onChange={(on) => setForm({ ...form, ...(on ? NIGHT : { quietFrom: null, quietUntil: null }) })}
      />
      {isQuiet && (
        <div className="flex flex-wrap gap-4 pl-7">
          <TextField
            label="From"
            type="time"
            className="w-36"
            value={form.quietFrom ?? ''}
            onChange={(event) => setForm({ ...form, quietFrom: event.target.value })}
          />
          <TextField
            label="Until"
            type="time"
            className="w-36"
            value={form.quietUntil ?? ''}
            onChange={(event) => setForm({ ...form, quietUntil: event.target.value })}
          />
        </div>
      )}
      {save.error && (
        <p role="alert" className="text-[0.8125rem] text-bad">
          {messageOf(save.error)}
        </p>
      )}
      <Button type="submit" variant="primary" className="self-start" busy={save.isPending}>
        Save
      </Button>
    </form>
  );
}
