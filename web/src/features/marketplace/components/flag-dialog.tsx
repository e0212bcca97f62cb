import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { SelectField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { FlagQuestion } from '@/lib/api/request-schemas';
import { flagQuestion } from '../api/listings';
import type { FlagReason, Question } from '../lib/types';

const REASONS = [
  ['spam', 'Spam'],
  ['abuse', 'Abuse'],
  ['personal_data', 'Personal data'],
  ['off_topic', 'Off topic'],
  ['other', 'Something else'],
] as const;

export function FlagDialog({ question, onClose }: { readonly question: Question; readonly onClose: () => void }) {
  const form = useRequestForm({
    request: FlagQuestion,
    initial: { reason: 'spam' as FlagReason },
    command: useCommand(flagQuestion(question.id), { onSuccess: onClose }),
    input: ({ reason }) => reason,
  });
  return (
    <FormDialog
      form={form}
      title="Report this question?"
      description="An admin decides whether to hide it."
      action="Report"
      onClose={onClose}
    >
      <SelectField label="Reason" {...form.field('reason')}>
        {REASONS.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </SelectField>
    </FormDialog>
  );
}
