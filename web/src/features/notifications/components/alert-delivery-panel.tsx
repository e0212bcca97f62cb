import { useQuery } from '@tanstack/react-query';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Card } from '@/components/ui/card';
import { Check } from '@/components/ui/check';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { messageOf } from '@/lib/api/errors';
import { AlertDelivery as DeliveryRequest } from '@/lib/api/request-schemas';
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
  const save = useCommand(setDelivery);
  const form = useRequestForm({ request: DeliveryRequest, initial: delivery, command: save });
  const { mail, mailResolved, quietFrom, quietUntil, timezone } = form.values;
  const isQuiet = Boolean(quietFrom);
  return (
    <Form form={form}>
      <Check
        label="Email me alerts"
        checked={mail}
        onChange={(on) => {
          form.set('mail')(on);
          form.set('mailResolved')(on && mailResolved);
        }}
      />
      <Check
        label="Email me when an alert is resolved"
        checked={mailResolved}
        disabled={!mail}
        onChange={form.set('mailResolved')}
      />
      <Check
        label={`Quiet hours (${timezone})`}
        checked={isQuiet}
        onChange={(on) => {
          form.set('quietFrom')(on ? NIGHT.quietFrom : null);
          form.set('quietUntil')(on ? NIGHT.quietUntil : null);
        }}
      />
      {isQuiet && (
        <div className="flex flex-wrap gap-4 pl-7">
          <TextField
            label="From"
            type="time"
            className="w-36"
            value={quietFrom ?? ''}
            onChange={(event) => form.set('quietFrom')(event.target.value)}
          />
          <TextField
            label="Until"
            type="time"
            className="w-36"
            value={quietUntil ?? ''}
            onChange={(event) => form.set('quietUntil')(event.target.value)}
          />
        </div>
      )}
      {save.error && (
        <p role="alert" className="text-[0.8125rem] text-bad">
          {messageOf(save.error)}
        </p>
      )}
      <SubmitButton form={form} className="self-start">
        Save
      </SubmitButton>
    </Form>
  );
}
