import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextField } from '@/components/ui/field';
import { formatMinor } from '@/lib/format';
import type { Payout } from '../api/payouts';

interface Props {
  readonly payout: Payout;
  readonly onClose: () => void;
  readonly onVoid: (reason: string) => void;
}

export function VoidDialog({ payout, onClose, onVoid }: Props) {
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title="Void payout"
      description={`${payout.partnerName}, ${formatMinor(payout.amount)}. It no longer counts and can’t be restored; record it again if it took place.`}
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (reason.trim() === '') return;
          onVoid(reason.trim());
          onClose();
        }}
      >
        <TextField
          label="Reason"
          value={reason}
          error={tried && reason.trim() === '' ? 'Please give a reason' : undefined}
          onChange={(event) => setReason(event.target.value)}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="danger">
            Void payout
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
