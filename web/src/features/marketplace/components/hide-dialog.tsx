import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextArea } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { Because } from '@/lib/api/request-schemas';
import { hideQuestion } from '../api/moderation';
import type { FlaggedQuestion } from '../lib/types';

interface Props {
  readonly question: FlaggedQuestion;
  readonly onClose: () => void;
}

export function HideDialog({ question, onClose }: Props) {
  const form = useRequestForm({
    request: Because,
    initial: { reason: '' },
    rules: { reason: { missing: 'Please give a reason' } },
    command: useCommand(hideQuestion(question.id), { onSuccess: onClose }),
    input: ({ reason }) => reason,
  });
  return (
    <FormDialog
      form={form}
      title="Hide this question?"
      description="Only admins can still see the question and its answer."
      action="Hide"
      danger
      onClose={onClose}
    >
      <TextArea label="Reason" rows={3} {...form.field('reason')} />
    </FormDialog>
  );
}
