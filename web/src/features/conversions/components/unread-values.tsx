import { Form } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Button } from '@/components/ui/button';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import type { Explanation } from '@/lib/api/types';
import { parseMinor } from '@/lib/format';
import { correctReport, readAgain, type Said } from '../api/unread';

type Unread = Explanation['unread'][number];

const LABELS: Readonly<Record<string, string>> = {
  amount: 'Amount',
  payout: 'Payout',
  status: 'Status',
  currency: 'Currency',
  event: 'Event',
  txid: 'Transaction ID',
  click_id: 'Click ID',
  coupon: 'Coupon',
  customer_id: 'Customer ID',
};
const STATUSES = ['pending', 'approved', 'rejected', 'reversed'] as const;

/** Values that a report gives in a form that cannot be read: what was sent, and how to correct it. */
export function UnreadValues({ told, at }: { readonly told: Explanation; readonly at: (time: string) => string }) {
  const again = useCommand(readAgain(told.conversion));
  const correct = useCommand(correctReport(told.conversion));
  return (
    <>
      <p className="mb-3 text-[0.8125rem] text-muted">
        These values were sent in a form that can’t be read and were left empty. Correct them here, or fix the partner’s
        postback format and read them again.
      </p>
      <ul className="flex flex-col gap-3">
        {told.unread.map((value) => (
          <li key={`${value.reportId} ${value.field}`} className="rounded-lg border border-line p-3">
            <p className="flex flex-wrap items-baseline gap-2">
              <span className="font-medium">{LABELS[value.field] ?? value.field}</span>
              {value.text && <code className="font-mono text-[0.8125rem] break-all">{value.text}</code>}
              <span className="text-[0.8125rem] text-muted">
                by {value.reportedBy}, {at(value.at)}
                {value.isPlaceholder && ' · unfilled placeholder'}
              </span>
            </p>
            <Correction
              value={value}
              currency={told.conversion.amount.currency}
              disabled={correct.isPending}
              onCorrect={(said) => correct.mutate({ reportId: value.reportId, said })}
            />
          </li>
        ))}
      </ul>
      <div className="mt-3 flex justify-end">
        <Button size="sm" disabled={again.isPending} onClick={() => again.mutate()}>
          Read again
        </Button>
      </div>
    </>
  );
}

interface CorrectionProps {
  readonly value: Unread;
  readonly currency: string;
  readonly disabled: boolean;
  readonly onCorrect: (said: Said) => void;
}

/** For the values that a person can say. */
function Correction({ value, currency, disabled, onCorrect }: CorrectionProps) {
  const { field } = value;
  const form = useRequestForm({
    initial: { text: '' },
    rules: {
      text: (text) =>
        field !== 'status' && parseMinor(text, currency) === null
          ? `Please enter a valid amount in ${currency}`
          : undefined,
    },
    onSubmit: ({ text }) => {
      const status = STATUSES.find((one) => one === text);
      const amount = parseMinor(text, currency);
      if (field === 'status') {
        if (status) onCorrect({ status });
      } else if (amount !== null) onCorrect({ [field]: { amount, currency } });
    },
  });
  if (field !== 'amount' && field !== 'payout' && field !== 'status') return null;
  return (
    <Form form={form} className="mt-3 flex items-end gap-2">
      <div className="min-w-0 flex-1">
        {field === 'status' ? (
          <SelectField label="Correct status" {...form.field('text')}>
            <option value="">Choose…</option>
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {`${status.charAt(0).toUpperCase()}${status.slice(1)}`}
              </option>
            ))}
          </SelectField>
        ) : (
          <TextField label={`Correct ${field} (${currency})`} inputMode="decimal" {...form.field('text')} />
        )}
      </div>
      <Button type="submit" size="sm" disabled={disabled || (field === 'status' && form.values.text === '')}>
        Save
      </Button>
    </Form>
  );
}
