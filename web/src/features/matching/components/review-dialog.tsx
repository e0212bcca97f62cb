import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { reviewProgram, type ProgramEntry } from '../api/directory';

const DAY_MS = 86_400_000;
const REVIEW_DAYS = 180;
const dayAfter = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

export function ReviewDialog({ program, onClose }: { readonly program: ProgramEntry; readonly onClose: () => void }) {
  const [reviewOn, setReviewOn] = useState(() => dayAfter(REVIEW_DAYS));
  const reviewing = useCommand(reviewProgram(program), { onSuccess: onClose });
  return (
    <Dialog
      open
      onOpenChange={(shown) => !shown && onClose()}
      title={`Review of ${program.companyName}`}
      description="Confirm that you checked every detail against the program's website and corrected errors."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          reviewing.mutate(reviewOn);
        }}
      >
        <p>
          <a href={program.url} target="_blank" rel="noopener noreferrer" className="break-all text-brand underline">
            {program.url}
          </a>
        </p>
        <TextField
          type="date"
          label="Next review"
          required
          value={reviewOn}
          onChange={(event) => setReviewOn(event.target.value)}
        />
        {reviewing.error && <ErrorBox error={reviewing.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={reviewing.isPending}>
            Mark as verified
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
