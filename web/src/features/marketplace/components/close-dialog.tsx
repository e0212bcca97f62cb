import { useState } from 'react';
import { TextArea } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { closeDispute } from '../api/moderation';
import type { Dispute } from '../lib/types';
import { Ask } from './action-confirmation';

interface Props extends Pick<Dispute, 'offerId' | 'buyerName' | 'sellerName'> {
  readonly onClose: () => void;
}

/** An admin's record of how a disputed direct deal ended. */
export function CloseDialog({ offerId, buyerName, sellerName, onClose }: Props) {
  const [isSold, setSold] = useState(true);
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const close = useCommand(closeDispute(offerId), { onSuccess: onClose });
  const choices = [
    [true, `Sold: ${buyerName} has the website`],
    [false, `Not sold: the website is ${sellerName}’s and for sale again`],
  ] as const;
  return (
    <Ask
      title="Record how this deal ended"
      description="Nothing was held, so no money is moved. This cannot be undone. Both sides see your reason."
      action="Record"
      danger
      doing={close}
      onClose={onClose}
      onConfirm={() => {
        setTried(true);
        if (reason.trim() !== '') close.mutate({ isSold, reason: reason.trim() });
      }}
    >
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 font-medium">Outcome</legend>
        {choices.map(([value, words]) => (
          <label key={words} className="flex items-start gap-2.5">
            <input
              type="radio"
              name="outcome"
              checked={isSold === value}
              onChange={() => setSold(value)}
              className="mt-0.5 size-4 accent-(--c-brand)"
            />
            {words}
          </label>
        ))}
      </fieldset>
      <TextArea
        label="Reason"
        required
        rows={4}
        maxLength={2000}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        error={tried && reason.trim() === '' ? 'Please give a reason' : undefined}
      />
    </Ask>
  );
}
