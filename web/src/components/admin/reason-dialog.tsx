import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextField } from '@/components/ui/field';
import { type Command, useCommand } from '@/lib/api/command';

const MIN_REASON = 3;
const MAX_REASON = 500;

/** What an admin does with something of a member, which needs a reason. */
export interface AdminAct {
  readonly title: string;
  readonly description: string;
  readonly action: string;
  readonly command: Command<string, void>;
}

interface Props {
  readonly act: AdminAct;
  readonly onClose: () => void;
}

/** Requests the reason, acts, and closes. */
export function ReasonDialog({ act, onClose }: Props) {
  const [reason, setReason] = useState('');
  const ready = reason.trim().length >= MIN_REASON;
  const save = useCommand(act.command, { onSuccess: onClose });
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={act.title} description={act.description}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) save.mutate(reason.trim());
        }}
      >
        <TextField
          label="Reason"
          hint="The owner and the audit trail see it. It cannot be deleted: leave personal data out."
          maxLength={MAX_REASON}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        {save.error && <ErrorBox error={save.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="danger" busy={save.isPending} disabled={!ready}>
            {act.action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
