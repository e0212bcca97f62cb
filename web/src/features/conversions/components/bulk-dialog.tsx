import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextField } from '@/components/ui/field';
import type { Bulk } from '../api/ledger';

interface Props {
  readonly kind: Bulk['kind'];
  /** "10 conversions", "all pending conversions that match". */
  readonly what: string;
  readonly onClose: () => void;
  readonly onDecide: (bulk: Bulk) => void;
}

export function BulkDialog({ kind, what, onClose, onDecide }: Props) {
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const missing = kind === 'reject' && reason.trim() === '';
  const submit = (event: React.SubmitEvent) => {
    event.preventDefault();
    setTried(true);
    if (missing) return;
    onDecide(kind === 'approve' ? { kind } : { kind, reason: reason.trim() });
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={`${kind === 'approve' ? 'Approve' : 'Reject'} ${what}?`}
      description={
        kind === 'approve'
          ? 'This approves their commissions and can’t be undone. You can reverse refunds later.'
          : 'They earn no commission. The reason is saved and shown with each of them.'
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
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant={kind === 'approve' ? 'primary' : 'danger'}>
            {kind === 'approve' ? 'Approve' : 'Reject'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
