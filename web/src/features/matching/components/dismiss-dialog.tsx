import { useState, type FormEvent } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextArea } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { dismissIdea, type DismissReason, type Idea } from '../api/ideas';
import { MAX_NOTE, REASONS } from '../lib/idea-labels';

interface Props {
  readonly idea: Idea;
  readonly onClose: () => void;
}

/** Why an idea is not wanted, and what the reason changes. */
export function DismissDialog({ idea, onClose }: Props) {
  const [reason, setReason] = useState<DismissReason>('not_interested');
  const [note, setNote] = useState('');
  const [tried, setTried] = useState(false);
  const missing = reason === 'other' && note.trim() === '';
  const dismissing = useCommand(dismissIdea(idea.id), { onSuccess: onClose });

  function submit(event: FormEvent): void {
    event.preventDefault();
    setTried(true);
    if (!missing) dismissing.mutate({ reason, note: note.trim() });
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Dismiss ${idea.name}`}
      description="The next round of ideas heeds your reason. You can restore the idea."
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <SelectField
          label="Reason"
          value={reason}
          hint={REASONS[reason].effect}
          onChange={(event) => setReason(event.target.value as DismissReason)}
        >
          {Object.entries(REASONS).map(([key, { label }]) => (
            <option key={key} value={key}>
              {label}
            </option>
          ))}
        </SelectField>
        <TextArea
          label={reason === 'other' ? 'Your reason' : 'Note (optional)'}
          rows={2}
          maxLength={MAX_NOTE}
          value={note}
          error={tried && missing ? 'Enter the reason.' : undefined}
          onChange={(event) => setNote(event.target.value)}
        />
        {dismissing.error && <ErrorBox error={dismissing.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={dismissing.isPending}>
            Dismiss idea
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
