import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { SelectField, TextField } from '@/components/ui/field';
import { api, body } from '@/lib/api/client';
import { ApiError } from '@/lib/api/errors';
import type { ConnectedWebsite } from '@/lib/api/types';
import { browserTimezone, timezones } from '@/lib/dates';
import { websitesQuery } from '@/lib/shared-queries';

const DOMAIN =
  /^(?=.{1,253}$)(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)*[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;

/** "https://Shop.example/page" is meant as "shop.example". */
export const bareDomain = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
    .replace(/[/?#].*$/, '')
    .replace(/:\d+$/, '');

const schema = z.object({
  domain: z
    .string()
    .check(z.refine((text) => DOMAIN.test(bareDomain(text)), 'Please enter a domain, such as example.com')),
  timezone: z.string(),
  currency: z.string(),
});
type Values = z.infer<typeof schema>;

const COMMON = ['USD', 'EUR', 'GBP', 'ISK', 'CAD', 'AUD', 'CHF', 'SEK', 'NOK', 'DKK', 'JPY'];
const currencyNames = new Intl.DisplayNames(['en'], { type: 'currency' });

export function ConnectForm({ onConnected }: { readonly onConnected: (website: ConnectedWebsite) => void }) {
  const client = useQueryClient();
  const form = useForm<Values>({
    resolver: zodResolver(schema),
    defaultValues: { domain: '', timezone: browserTimezone(), currency: 'USD' },
  });
  const connect = useMutation({
    mutationFn: (values: Values) =>
      body(api.POST('/api/platform/websites', { body: { ...values, domain: bareDomain(values.domain) } })),
    onSuccess: async (website) => {
      onConnected(website); // immediately: its keys are shown only once
      await client.invalidateQueries({ queryKey: websitesQuery.queryKey });
    },
    onError: (error) => {
      if (error instanceof ApiError && error.fields['domain'])
        form.setError('domain', { message: error.fields['domain'] });
    },
  });
  const zones = timezones();
  const zone = browserTimezone();
  const currencies = [...COMMON, ...Intl.supportedValuesOf('currency').filter((code) => !COMMON.includes(code))];
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => void form.handleSubmit((values) => connect.mutate(values))(event)}
    >
      <TextField
        label="Domain"
        placeholder="example.com"
        autoComplete="off"
        inputMode="url"
        error={form.formState.errors.domain?.message}
        {...form.register('domain')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label="Time zone" hint="Reports use this time zone." {...form.register('timezone')}>
          {(zones.includes(zone) ? zones : [zone, ...zones]).map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField label="Currency" hint="Other currencies are converted to it." {...form.register('currency')}>
          {currencies.map((code) => (
            <option key={code} value={code}>
              {code}, {currencyNames.of(code)}
            </option>
          ))}
        </SelectField>
      </div>
      {connect.error && !form.formState.errors.domain && <ErrorBox error={connect.error} />}
      <Button type="submit" variant="primary" busy={connect.isPending} className="self-start">
        Connect Website
      </Button>
    </form>
  );
}
