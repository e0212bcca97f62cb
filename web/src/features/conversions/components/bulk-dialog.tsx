import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { focusFirstFault, TextField } from '@/components/ui/field';
import type { Money } from '@/lib/api/types';
import { formatCount, formatMinor } from '@/lib/format';
import type { Decision } from '../api/decisions';
import { countOf } from '../hooks/use-scheduled';

/** What is to be decided: how many, with which commission, and how many of them without a click. */
export interface Sum {
  readonly count: number;
  readonly unattributed: number;
  readonly commission: readonly Money[];
}

interface Props {
  readonly kind: Decision['kind'];
  readonly sum: Sum;
  readonly onClose: () => void;
  readonly onDecide: (decision: Decision) => void;
}

export function BulkDialog({ kind, sum, onClose, onDecide }: Props) {
  const [reason, setReason] = useState('');
  const [unattributed, setUnattributed] = useState(false);
  const [tried, setTried] = useState(false);
  const missing = kind === 'reject' && reason.trim() === '';
  const count = kind === 'reject' || unattributed ? sum.count : sum.count - sum.unattributed;
  const money = sum.commission.map((one) => formatMinor(one)).join(' + ') || '$0.00';
  const submit = (event: React.SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTried(true);
    if (missing) {
      focusFirstFault(event.currentTarget);
      return;
    }
    onDecide({ kind, reason: reason.trim(), unattributed: kind === 'approve' && unattributed });
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={`${kind === 'approve' ? 'Approve' : 'Reject'} ${countOf(count)}?`}
      description={
        kind === 'approve'
          ? `This approves ${money} in commission. You can undo it for 10 seconds. After that it can’t be undone, but you can reverse refunds later.`
          : `This removes ${money} in commission. You can undo it for 10 seconds. The reason is saved and visible to everyone with access.`
      }
    >
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        {kind === 'reject' && (
          <TextField
            label="Reason"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            error={tried && missing ? 'Please give a reason' : undefined}
          />
        )}
        {kind === 'approve' && sum.unattributed > 0 && (
          <label className="flex items-start gap-2.5 rounded-lg bg-warn-soft px-3 py-2.5">
            <input
              type="checkbox"
              className="mt-0.5 size-4 shrink-0 accent-brand"
              checked={unattributed}
              onChange={(event) => setUnattributed(event.target.checked)}
            />
            <span>
              {`Also approve ${formatCount(sum.unattributed)} unattributed`}
              <span className="block text-[0.8125rem] text-muted">
                No click was found for {sum.unattributed === 1 ? 'it' : 'them'}, so no commission is earned. Left out,{' '}
                {sum.unattributed === 1 ? 'it stays' : 'they stay'} pending and can still be attributed.
              </span>
            </span>
          </label>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant={kind === 'approve' ? 'primary' : 'danger'} disabled={count === 0}>
            {kind === 'approve' ? 'Approve' : 'Reject'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
