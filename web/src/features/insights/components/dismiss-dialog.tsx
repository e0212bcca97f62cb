import { useQueryClient } from '@tanstack/react-query';
import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { dismissInsight, insightsQuery, type Insight } from '../api/insights';

interface Props {
  readonly websiteId: string;
  readonly insight: Insight;
  readonly onClose: () => void;
}

/** Requests the reason that is saved with an insight, and hides it. */
export function DismissDialog({ websiteId, insight, onClose }: Props) {
  const client = useQueryClient();
  const dismiss = useCommand(dismissInsight(websiteId));
  const form = useRequestForm({
    initial: { reason: '' },
    rules: { reason: { maxLength: 500, missing: 'Please give a reason' } },
    onSubmit: ({ reason }) => {
      onClose();
      // Hidden at once; it is back if the server rejects it.
      client.setQueryData(insightsQuery(websiteId).queryKey, (shown) => shown?.filter(({ id }) => id !== insight.id));
      dismiss.mutate({ id: insight.id, reason });
    },
  });
  return (
    <FormDialog
      form={form}
      title="Dismiss insight"
      description={`“${insight.title}” is shown again only if it ends and happens again.`}
      action="Dismiss"
      onClose={onClose}
    >
      <TextField
        label="Reason"
        hint="For example: a newsletter went out. Saved with the insight."
        {...form.field('reason')}
      />
    </FormDialog>
  );
}
