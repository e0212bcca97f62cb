import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { dismissInsight, insightsQuery, type Insight } from '../api/insights';

const MAX_REASON = 500;

/** Hides an insight, with the reason that is saved with it. */
export function DismissInsight({ websiteId, insight }: { readonly websiteId: string; readonly insight: Insight }) {
  const [open, setOpen] = useState(false);
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const client = useQueryClient();
  const dismiss = useCommand(dismissInsight(websiteId));
  return (
    <>
      <button
        type="button"
        aria-label={`Dismiss: ${insight.title}`}
        className="min-h-6 rounded-md font-medium max-sm:min-h-10 underline-offset-4 hover:underline"
        onClick={() => setOpen(true)}
      >
        Dismiss
      </button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="Dismiss insight"
        description={`“${insight.title}” is shown again only if it ends and happens again.`}
      >
        <form
          noValidate
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            setTried(true);
            if (reason.trim() === '') return;
            setOpen(false);
            // Hidden at once; it is back if the server rejects it.
            client.setQueryData(insightsQuery(websiteId).queryKey, (shown) =>
              shown?.filter(({ id }) => id !== insight.id),
            );
            dismiss.mutate({ id: insight.id, reason: reason.trim() });
          }}
        >
          <TextField
            label="Reason"
            hint="For example: a newsletter went out. Saved with the insight."
            maxLength={MAX_REASON}
            value={reason}
            error={tried && reason.trim() === '' ? 'Please give a reason' : undefined}
            onChange={(event) => setReason(event.target.value)}
          />
          <div className="flex justify-end gap-2">
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button type="submit" variant="primary">
              Dismiss
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
