import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextField } from '@/components/ui/field';
import { toast } from '@/stores/toasts';

const MIN_REASON = 3;
const MAX_REASON = 500;

/** What an admin does with something of a member, which needs a reason. */
export interface AdminAct {
  readonly title: string;
  readonly description: string;
  readonly action: string;
  readonly done: string;
  readonly run: (reason: string) => Promise<unknown>;
}

interface Props {
  readonly act: AdminAct;
  /** What is read again afterwards. */
  readonly changes: QueryKey;
  readonly onClose: () => void;
}

/** Requests the reason, acts, and closes. */
export function ReasonDialog({ act, changes, onClose }: Props) {
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const ready = reason.trim().length >= MIN_REASON;
  const save = useMutation({
    mutationFn: () => act.run(reason.trim()),
    onSuccess: () => {
      toast(act.done);
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: changes }),
  });
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={act.title} description={act.description}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) save.mutate();
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
