import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextField } from '@/components/ui/field';
import type { Conversion } from '@/lib/api/types';
import { formatMinor, parseMinor } from '@/lib/format';

interface Props {
  readonly conversion: Pick<Conversion, 'amount' | 'reversed' | 'txid'>;
  readonly onClose: () => void;
  /** `amount` null: all that is left. */
  readonly onReverse: (reason: string, amount: number | null) => void;
}

export function ReverseDialog({ conversion, onClose, onReverse }: Props) {
  const [reason, setReason] = useState('');
  const [amountText, setAmountText] = useState('');
  const [tried, setTried] = useState(false);
  const { amount, reversed, txid } = conversion;
  const left = { ...amount, amount: amount.amount - reversed.amount };
  const partial = amountText.trim() === '' ? null : parseMinor(amountText, amount.currency);
  const reasonError = reason.trim() === '' ? 'Please give a reason' : undefined;
  const amountError =
    amountText.trim() === ''
      ? undefined
      : partial === null
        ? `Please enter a valid amount in ${amount.currency}`
        : partial > left.amount
          ? `At most ${formatMinor(left)} can be reversed`
          : undefined;

  const submit = (event: React.SubmitEvent) => {
    event.preventDefault();
    setTried(true);
    if (reasonError || amountError) return;
    onReverse(reason.trim(), partial === null || partial === left.amount ? null : partial);
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title="Reverse conversion"
      description={`Transaction ${txid}, ${formatMinor(amount)}. The reason is saved and visible to everyone with access.`}
    >
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        <TextField
          label="Reason"
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          error={tried ? reasonError : undefined}
        />
        <TextField
          label={`Amount (${amount.currency}, optional)`}
          inputMode="decimal"
          value={amountText}
          onChange={(event) => setAmountText(event.target.value)}
          hint={`Leave empty to reverse all ${formatMinor(left)}. The commission follows in proportion.`}
          error={tried ? amountError : undefined}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="danger">
            Reverse
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
