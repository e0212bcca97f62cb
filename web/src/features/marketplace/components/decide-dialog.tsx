import { useState } from 'react';
import { TextArea } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { toMajor } from '@/lib/format';
import { Ask } from './action-confirmation';
import { DollarsField } from './dollars-field';
import { decideDispute } from '../api/moderation';
import { formatPrice, formatSum, parseDollars } from '../lib/format';
import type { Dispute } from '../lib/types';

type Outcome = 'release' | 'refund' | 'split';

interface Props extends Pick<Dispute, 'offerId' | 'price' | 'buyerName' | 'sellerName'> {
  readonly onClose: () => void;
}

/** Decision of a dispute: amounts and reason. */
export function DecideDialog({ offerId, price, buyerName, sellerName, onClose }: Props) {
  const [outcome, setOutcome] = useState<Outcome>('release');
  const [part, setPart] = useState('');
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const whole = toMajor(price);
  const toSeller = parseDollars(part, { zero: false });
  const partError =
    outcome === 'split' && (toSeller === null || toSeller >= whole)
      ? `Please enter whole dollars, less than ${formatSum(price)}`
      : undefined;
  const reasonError = reason.trim() === '' ? 'Please give a reason' : undefined;
  const decide = useCommand(decideDispute(offerId), { onSuccess: onClose });
  const choices: readonly (readonly [Outcome, string])[] = [
    ['release', `Release: ${sellerName} gets ${formatSum(price)}`],
    ['refund', `Refund: ${buyerName} gets ${formatSum(price)} back`],
    ['split', 'Split: each side gets a part'],
  ];
  return (
    <Ask
      title="Decide this dispute"
      description="This cannot be undone. Both sides see your reason."
      action="Decide"
      danger
      doing={decide}
      onClose={onClose}
      onConfirm={() => {
        setTried(true);
        if (partError || reasonError) return;
        decide.mutate({ outcome, toSeller: outcome === 'split' ? toSeller : null, reason: reason.trim() });
      }}
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
              onChange={() => setOutcome(value)}
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
          value={part}
          onChange={setPart}
          error={tried ? partError : undefined}
          {...(toSeller !== null && toSeller < whole
            ? { hint: `${buyerName} gets ${formatPrice(whole - toSeller)} back.` }
            : {})}
        />
      )}
      <TextArea
        label="Reason"
        required
        rows={4}
        maxLength={2000}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        error={tried ? reasonError : undefined}
      />
    </Ask>
  );
}
