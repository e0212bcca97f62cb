import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextArea } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { Decide } from '@/lib/api/request-schemas';
import { toMajor } from '@/lib/format';
import { DollarsField } from './dollars-field';
import { decideDispute } from '../api/moderation';
import { formatPrice, formatSum, parseDollars } from '../lib/format';
import type { Dispute } from '../lib/types';

const dollarsOf = (text: string): number | null => parseDollars(text, { zero: false });

type Outcome = 'release' | 'refund' | 'split';

interface Props extends Pick<Dispute, 'offerId' | 'price' | 'buyerName' | 'sellerName'> {
  readonly onClose: () => void;
}

/** Decision of a dispute: amounts and reason. */
export function DecideDialog({ offerId, price, buyerName, sellerName, onClose }: Props) {
  const whole = toMajor(price);
  const form = useRequestForm({
    request: Decide,
    initial: { outcome: 'release' as Outcome, toSeller: '', reason: '' },
    rules: ({ outcome }) => ({
      toSeller: (text) =>
        outcome === 'split' && (dollarsOf(text) ?? whole) >= whole
          ? `Please enter whole dollars, less than ${formatSum(price)}`
          : undefined,
      reason: { missing: 'Please give a reason' },
    }),
    command: useCommand(decideDispute(offerId), { onSuccess: onClose }),
    input: (given) => ({ ...given, toSeller: given.outcome === 'split' ? dollarsOf(given.toSeller) : null }),
  });
  const { outcome } = form.values;
  const toSeller = dollarsOf(form.values.toSeller);
  const choices: readonly (readonly [Outcome, string])[] = [
    ['release', `Release: ${sellerName} gets ${formatSum(price)}`],
    ['refund', `Refund: ${buyerName} gets ${formatSum(price)} back`],
    ['split', 'Split: each side gets a part'],
  ];
  return (
    <FormDialog
      form={form}
      title="Decide this dispute"
      description="This cannot be undone. Both sides see your reason."
      action="Decide"
      danger
      onClose={onClose}
    >
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 font-medium">Outcome</legend>
        {choices.map(([value, words]) => (
          <label key={value} className="flex items-start gap-2.5">
            <input
              type="radio"
              name="outcome"
              value={value}
              checked={outcome === value}
              onChange={() => form.set('outcome')(value)}
              className="mt-0.5 size-4 accent-(--c-brand)"
            />
            {words}
          </label>
        ))}
      </fieldset>
      {outcome === 'split' && (
        <DollarsField
          label={`To ${sellerName}`}
          required
          value={form.values.toSeller}
          onChange={form.set('toSeller')}
          error={form.fault('toSeller')}
          {...(toSeller !== null && toSeller < whole
            ? { hint: `${buyerName} gets ${formatPrice(whole - toSeller)} back.` }
            : {})}
        />
      )}
      <TextArea label="Reason" rows={4} {...form.field('reason')} />
    </FormDialog>
  );
}
