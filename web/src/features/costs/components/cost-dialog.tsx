import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { CostInput } from '@/lib/api/request-schemas';
import type { Website } from '@/lib/api/types';
import { todayIn } from '@/lib/dates';
import { majorText } from '@/lib/format';
import { saveCost, type Cost } from '../api/costs';
import { signedMinor } from '../lib/amount';
import { LinkField } from './link-field';

interface Props {
  readonly website: Pick<Website, 'id' | 'domain' | 'currency' | 'timezone'>;
  /** The one that is changed; null: a new one. */
  readonly cost: Cost | null;
  readonly onClose: () => void;
}

const CURRENCIES = ['USD', 'EUR', 'GBP', 'ISK', 'SEK', 'NOK', 'DKK', 'CHF', 'CAD', 'AUD', 'JPY', 'PLN'];

/** Enters what ads or content cost: an amount, its days, and the traffic that was paid for. */
export function CostDialog({ website, cost, onClose }: Props) {
  const today = todayIn(website.timezone);
  const form = useRequestForm({
    request: CostInput,
    initial: {
      from: cost?.from ?? today,
      to: cost?.to ?? today,
      amount: cost ? majorText(cost.amount) : '',
      currency: cost?.amount.currency ?? website.currency,
      source: cost?.source ?? '',
      campaign: cost?.campaign ?? '',
      term: cost?.term ?? '',
      content: cost?.content ?? '',
      link: cost?.link ?? '',
      placement: cost?.placement ?? '',
      note: cost?.note ?? '',
    },
    rules: (values) => ({
      from: { missing: 'Please enter the first day' },
      to: (to) => {
        if (!to) return 'Please enter the last day';
        return to < values.from ? 'The last day is before the first' : undefined;
      },
      amount: (text) =>
        signedMinor(text, values.currency) ? undefined : `Please enter a valid amount in ${values.currency}`,
      note: (note) =>
        !note && (signedMinor(values.amount, values.currency) ?? 0) < 0
          ? 'Please say what the refund or credit is for'
          : undefined,
    }),
    command: useCommand(saveCost(website.id), { onSuccess: onClose }),
    input: ({ amount, currency, from, to, ...texts }) => ({
      id: cost?.id ?? null,
      from,
      to,
      amount: { amount: signedMinor(amount, currency) ?? 0, currency },
      source: texts.source || null,
      campaign: texts.campaign || null,
      term: texts.term || null,
      content: texts.content || null,
      link: texts.link || null,
      placement: texts.placement || null,
      note: texts.note || null,
    }),
  });
  const { currency } = form.values;
  return (
    <FormDialog
      form={form}
      title={cost ? 'Change cost' : 'Add cost'}
      description={`What you paid for traffic of ${website.domain}. A longer period is spread evenly over its days.`}
      action={cost ? 'Save' : 'Add cost'}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="First day" type="date" {...form.field('from')} min="1990-01-01" />
        <TextField label="Last day" type="date" {...form.field('to')} min={form.values.from} />
        <TextField
          label="Amount"
          inputMode="decimal"
          hint="A refund or credit: with a minus sign."
          {...form.field('amount')}
        />
        <SelectField
          label="Currency"
          hint={
            currency === website.currency ? undefined : `Converted to ${website.currency} at the rate of the first day.`
          }
          {...form.field('currency')}
        >
          {[...new Set([website.currency, currency, ...CURRENCIES])].map((code) => (
            <option key={code}>{code}</option>
          ))}
        </SelectField>
        <TextField label="Source (optional)" placeholder="Google" {...form.field('source')} />
        <TextField label="Campaign (optional)" hint="As in utm_campaign" {...form.field('campaign')} />
        <TextField label="Term (optional)" hint="As in utm_term" {...form.field('term')} />
        <TextField label="Content (optional)" hint="As in utm_content" {...form.field('content')} />
        <LinkField websiteId={website.id} value={form.values.link} onChange={form.set('link')} />
        <TextField label="Placement (optional)" hint="Of the clicks" {...form.field('placement')} />
        <TextField label="Note (optional)" {...form.field('note')} />
      </div>
    </FormDialog>
  );
}
