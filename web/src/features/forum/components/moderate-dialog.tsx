import { useState } from 'react';
import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { MoveThread } from '@/lib/api/request-schemas';
import { moderateThread } from '../api/moderation-commands';
import { LABELS, type Moderation } from '../lib/moderation';
import type { Category, ThreadInFull } from '../lib/types';

interface Props {
  readonly kind: Moderation;
  readonly thread: ThreadInFull;
  readonly categories: readonly Category[];
  readonly onClose: () => void;
}

/** Requests a reason, and the category of a move. */
export function ModerateDialog({ kind, thread: current, categories, onClose }: Props) {
  const [thread] = useState(current); // as of when it was opened
  const labels = LABELS[kind](thread);
  const form = useRequestForm({
    request: MoveThread,
    initial: { categoryId: thread.categoryId, reason: '' },
    rules: { reason: { maxLength: 500 } },
    command: useCommand(moderateThread(kind, thread), { onSuccess: onClose }),
    ready: ({ categoryId }) => kind !== 'move' || categoryId !== thread.categoryId,
  });
  return (
    <FormDialog
      form={form}
      title={`${labels.title} this thread`}
      description={labels.description}
      action={labels.title}
      disabled={!form.isComplete}
      onClose={onClose}
    >
      {kind === 'move' && (
        <SelectField label="Category" {...form.field('categoryId')}>
          {categories.map((item) => (
            <option key={item.id} value={item.id}>
              {item.name}
            </option>
          ))}
        </SelectField>
      )}
      <TextField label="Reason (optional)" {...form.field('reason')} hint="Shown in the moderation log." />
    </FormDialog>
  );
}
