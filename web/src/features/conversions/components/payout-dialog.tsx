import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { SelectField, TextField } from '@/components/ui/field';
import { CorrectPayout, RecordPayout } from '@/lib/api/request-schemas';
import type { Partner, Website } from '@/lib/api/types';
import { todayIn } from '@/lib/dates';
import { formatMinor, majorText, parseMinor } from '@/lib/format';
import {
  FILE_TYPES,
  MAX_FILE_BYTES,
  type PartnerBalance,
  type Payout,
  type PayoutDraft,
  type PayoutToSave,
} from '../api/payouts';
import { monthName } from '../lib/month-name';

interface Props {
  readonly website: Pick<Website, 'currency' | 'timezone' | 'domain'>;
  readonly partners: readonly Pick<Partner, 'id' | 'name'>[];
  readonly balances: readonly PartnerBalance[];
  /** The partner that is chosen first; its debt is the amount that is offered. */
  readonly partnerId: string | null;
  /** The one that is corrected. */
  readonly payout: Payout | null;
  readonly onClose: () => void;
  readonly onSave: (saved: PayoutToSave) => void;
}

/** What a payout settles of each month, as texts. */
type Parts = Readonly<Record<string, string>>;

const CURRENCIES = ['USD', 'EUR', 'GBP', 'ISK', 'SEK', 'NOK', 'DKK', 'CHF', 'CAD', 'AUD', 'JPY', 'PLN'];

/** Records what a partner paid, or corrects it by a further event. */
export function PayoutDialog({ website, partners, balances, partnerId, payout, onClose, onSave }: Props) {
  const owedBy = (id: string) => balances.find((item) => item.partnerId === id)?.owed ?? 0;
  const offered = (id: string) => (owedBy(id) > 0 ? majorText({ amount: owedBy(id), currency: website.currency }) : '');
  const partOf = (amount: number) => majorText({ amount, currency: website.currency });
  const first = payout?.partnerId ?? partnerId ?? '';
  const settledBy = ({ currency, amount, credited }: Record<'currency' | 'amount' | 'credited', string>) =>
    currency === website.currency ? parseMinor(amount, currency) : parseMinor(credited, website.currency);
  const form = useRequestForm({
    request: payout ? CorrectPayout : RecordPayout,
    initial: {
      partnerId: first,
      amount: payout ? majorText(payout.amount) : offered(first),
      currency: payout?.amount.currency ?? website.currency,
      credited: payout ? majorText(payout.credited) : '',
      paidOn: payout?.paidOn ?? todayIn(website.timezone),
      reference: payout?.reference ?? '',
      byHand: (payout?.allocations.length ?? 0) > 0,
      parts: Object.fromEntries((payout?.allocations ?? []).map((one) => [one.month, partOf(one.amount)])) as Parts,
      file: null as File | null,
      reason: '',
    },
    rules: (values) => ({
      partnerId: { missing: 'Please choose a partner' },
      amount: (text) =>
        parseMinor(text, values.currency) ? undefined : `Please enter a valid amount in ${values.currency}`,
      credited: () =>
        values.currency === website.currency || settledBy(values)
          ? undefined
          : `Please enter the value in ${website.currency}`,
      paidOn: { missing: 'Please enter the date' },
      reference: { maxLength: 200 },
      parts: (parts) => {
        const matched = allocationsOf(parts, website.currency);
        const settles = settledBy(values);
        if (!values.byHand) return undefined;
        if (matched.some((one) => !one.amount)) return `Please enter valid amounts in ${website.currency}`;
        return settles && matched.reduce((sum, one) => sum + (one.amount ?? 0), 0) > settles
          ? 'The months add up to more than the payout'
          : undefined;
      },
      file: (file) => (file && file.size > MAX_FILE_BYTES ? 'A file may have at most 1 MB' : undefined),
      ...(payout ? { reason: { missing: 'Please give a reason' } } : {}),
    }),
    onSubmit: (values) => {
      const { currency, paidOn, reference, byHand, file, reason } = values;
      const draft: PayoutDraft = {
        amount: { amount: parseMinor(values.amount, currency) ?? 0, currency },
        credited: currency === website.currency ? null : settledBy(values),
        paidOn,
        reference,
        allocations: byHand
          ? allocationsOf(values.parts, website.currency).map(({ month, amount }) => ({ month, amount: amount ?? 0 }))
          : null,
      };
      onSave({ draft, partnerId: values.partnerId, file, correction: payout ? { id: payout.id, reason } : null });
      onClose();
    },
  });
  const { partnerId: partner, currency, byHand, parts } = form.values;
  const isForeign = currency !== website.currency;
  const months = balances.find((item) => item.partnerId === partner)?.months ?? [];
  const open = months.filter((month) => month.payable > month.paid || parts[month.month]);
  return (
    <FormDialog
      form={form}
      title={payout ? 'Correct payout' : 'Record payout'}
      description={
        payout
          ? 'The earlier values stay in its history. Balances update immediately.'
          : `What a partner paid you for ${website.domain}.`
      }
      action={payout ? 'Correct payout' : 'Record payout'}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Partner"
          className="sm:col-span-2"
          disabled={payout !== null}
          hint={partner ? `Owed: ${formatMinor({ amount: owedBy(partner), currency: website.currency })}` : undefined}
          {...form.field('partnerId')}
          onChange={(event) => {
            form.set('partnerId')(event.target.value);
            if (!isForeign) form.set('amount')(offered(event.target.value));
            form.set('parts')({});
          }}
        >
          <option value="">Choose a partner</option>
          {partners.map((item) => (
            <option key={item.id} value={item.id}>
              {item.name}
            </option>
          ))}
        </SelectField>
        <TextField label="Amount" inputMode="decimal" {...form.field('amount')} />
        <SelectField label="Currency" {...form.field('currency')}>
          {[...new Set([website.currency, currency, ...CURRENCIES])].map((code) => (
            <option key={code}>{code}</option>
          ))}
        </SelectField>
        {isForeign && (
          <TextField
            label={`Value in ${website.currency}`}
            className="sm:col-span-2"
            inputMode="decimal"
            hint="The amount your bank credited."
            {...form.field('credited')}
          />
        )}
        <TextField
          label="Paid on"
          type="date"
          {...form.field('paidOn')}
          min="1990-01-01"
          max={todayIn(website.timezone)}
        />
        <TextField label="Reference (optional)" {...form.field('reference')} />
        <fieldset className="sm:col-span-2">
          <legend className="mb-1.5 font-medium">Match to</legend>
          <div className="flex flex-wrap gap-x-5 gap-y-2">
            <label className="flex items-center gap-2">
              <input
                type="radio"
                name="match"
                className="size-4 accent-brand"
                checked={!byHand}
                onChange={() => form.set('byHand')(false)}
              />
              Oldest open months
            </label>
            <label className="flex items-center gap-2">
              <input
                type="radio"
                name="match"
                className="size-4 accent-brand"
                checked={byHand}
                onChange={() => form.set('byHand')(true)}
              />
              Months I choose
            </label>
          </div>
          {byHand && (
            <div className="mt-3 grid gap-2">
              {open.length === 0 && <p className="text-muted">No month of this partner is open.</p>}
              {open.map((month) => (
                <label key={month.month} className="flex items-center justify-between gap-3">
                  <span>
                    {monthName(month.month)}
                    <span className="ml-2 text-[0.8125rem] text-muted">
                      {formatMinor({ amount: month.payable - month.paid, currency: website.currency })} open
                    </span>
                  </span>
                  <input
                    aria-label={`Amount for ${monthName(month.month)}`}
                    inputMode="decimal"
                    className="h-9 w-32 rounded-lg border border-line bg-surface px-3 text-right tabular"
                    value={parts[month.month] ?? ''}
                    onChange={(event) => form.set('parts')({ ...parts, [month.month]: event.target.value })}
                  />
                </label>
              ))}
              {form.fault('parts') && (
                <p role="alert" className="text-[0.8125rem] text-bad">
                  {form.fault('parts')}
                </p>
              )}
            </div>
          )}
        </fieldset>
        <TextField
          label="File (optional)"
          type="file"
          accept={FILE_TYPES}
          className="sm:col-span-2 [&_input]:py-1.5"
          error={form.fault('file')}
          hint="The partner’s payment advice: PDF, PNG, JPEG or WebP, at most 1 MB. Stored encrypted."
          onChange={(event) => form.set('file')(event.target.files?.[0] ?? null)}
        />
        {payout && <TextField label="Reason" className="sm:col-span-2" {...form.field('reason')} />}
      </div>
    </FormDialog>
  );
}

const allocationsOf = (parts: Parts, currency: string) =>
  Object.entries(parts).flatMap(([month, text]) =>
    text.trim() === '' ? [] : [{ month, amount: parseMinor(text, currency) }],
  );
