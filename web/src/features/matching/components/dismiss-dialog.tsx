import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { SelectField, TextArea } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { DismissIdea } from '@/lib/api/request-schemas';
import { dismissIdea, type DismissReason, type Idea } from '../api/ideas';
import { REASONS } from '../lib/idea-labels';

interface Props {
  readonly idea: Idea;
  readonly onClose: () => void;
}

/** Why an idea is not wanted, and what the reason changes. */
export function DismissDialog({ idea, onClose }: Props) {
  const form = useRequestForm({
    request: DismissIdea,
    initial: { reason: 'not_interested' as DismissReason, note: '' },
    rules: ({ reason }) => (reason === 'other' ? { note: { missing: 'Enter the reason.' } } : {}),
    command: useCommand(dismissIdea(idea.id), { onSuccess: onClose }),
  });
  const { reason } = form.values;
  return (
    <FormDialog
      form={form}
      title={`Dismiss ${idea.name}`}
      description="Your next ideas will take this into account. You can restore the idea."
      action="Dismiss idea"
      onClose={onClose}
    >
      <SelectField label="Reason" hint={REASONS[reason].effect} {...form.field('reason')}>
        {Object.entries(REASONS).map(([key, { label }]) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
      </SelectField>
      <TextArea label={reason === 'other' ? 'Your reason' : 'Note (optional)'} rows={2} {...form.field('note')} />
    </FormDialog>
  );
}
