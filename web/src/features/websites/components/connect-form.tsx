import { Form, FormError, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ConnectWebsite } from '@/lib/api/request-schemas';
import type { ConnectedWebsite } from '@/lib/api/types';
import { browserTimezone, timezones } from '@/lib/dates';
import type { Check } from '@/lib/form/rules';
import { connectWebsite } from '../api/connect';

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

const domain: Check = (text) =>
  DOMAIN.test(bareDomain(text)) ? undefined : 'Please enter a domain, such as example.com';

const COMMON = ['USD', 'EUR', 'GBP', 'ISK', 'CAD', 'AUD', 'CHF', 'SEK', 'NOK', 'DKK', 'JPY'];
const currencyNames = new Intl.DisplayNames(['en'], { type: 'currency' });

export function ConnectForm({ onConnected }: { readonly onConnected: (website: ConnectedWebsite) => void }) {
  const form = useRequestForm({
    request: ConnectWebsite,
    initial: { domain: '', timezone: browserTimezone(), currency: 'USD' },
    rules: { domain },
    command: useCommand(connectWebsite, { onSuccess: onConnected }), // immediately: its keys are shown only once
    input: (values) => ({ ...values, domain: bareDomain(values.domain) }),
  });
  const zones = timezones();
  const zone = browserTimezone();
  const currencies = [...COMMON, ...Intl.supportedValuesOf('currency').filter((code) => !COMMON.includes(code))];
  return (
    <Form form={form}>
      <TextField
        label="Domain"
        placeholder="example.com"
        autoComplete="off"
        inputMode="url"
        {...form.field('domain')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label="Time zone" hint="Reports use this time zone." {...form.field('timezone')}>
          {(zones.includes(zone) ? zones : [zone, ...zones]).map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField label="Currency" hint="Other currencies are converted to it." {...form.field('currency')}>
          {currencies.map((code) => (
            <option key={code} value={code}>
              {code}, {currencyNames.of(code)}
            </option>
          ))}
        </SelectField>
      </div>
      <FormError form={form} />
      <SubmitButton form={form} className="self-start">
        Connect Website
      </SubmitButton>
    </Form>
  );
}
