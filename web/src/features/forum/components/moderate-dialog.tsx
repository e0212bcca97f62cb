import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextField } from '@/components/ui/field';
import { toast } from '@/stores/toasts';
import { LABELS, type Moderation } from '../lib/moderation';
import { lockThread, moveThread, pinThread } from '../api/moderation-commands';
import type { Category, ThreadInFull } from '../lib/types';

interface Props {
  readonly kind: Moderation;
  readonly thread: ThreadInFull;
  readonly categories: readonly Category[];
  readonly onClose: () => void;
}

/** Requests a reason, and the category of a move. */
export function ModerateDialog({ kind, thread, categories, onClose }: Props) {
  const client = useQueryClient();
  const [labels] = useState(() => LABELS[kind](thread)); // as of when it was opened
  const [reason, setReason] = useState('');
  const [category, setCategory] = useState(thread.categoryId);
  const act = useMutation({
    mutationFn: () => {
      if (kind === 'pin') return pinThread(thread.id, !thread.isPinned, reason.trim());
      if (kind === 'lock') return lockThread(thread.id, !thread.isLocked, reason.trim());
      return moveThread(thread.id, category, reason.trim());
    },
    onSuccess: () => {
      toast(labels.done);
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['forum'] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!act.isPending) act.mutate();
  };
  return (
    <Dialog open onOpenChange={onClose} title={`${labels.title} this thread`} description={labels.description}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {kind === 'move' && (
          <SelectField label="Category" value={category} onChange={(event) => setCategory(event.target.value)}>
            {categories.map((item) => (
              <option key={item.id} value={item.id}>
                {item.name}
              </option>
            ))}
          </SelectField>
        )}
        <TextField
          label="Reason (optional)"
          value={reason}
          maxLength={500}
          onChange={(event) => setReason(event.target.value)}
          hint="Shown in the moderation log."
        />
        {act.error && <ErrorBox error={act.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            variant="primary"
            busy={act.isPending}
            disabled={kind === 'move' && category === thread.categoryId}
          >
            {labels.title}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
