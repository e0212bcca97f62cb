import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { type Command, useCommand } from '@/lib/api/command';
import { StatedReason } from '@/lib/api/request-schemas';

/** What an admin does with something of a member, which needs a reason. */
export interface AdminAct {
  readonly title: string;
  readonly description: string;
  readonly action: string;
  readonly command: Command<string, void>;
}

interface Props {
  readonly act: AdminAct;
  readonly onClose: () => void;
}

/** Requests the reason, acts, and closes. */
export function ReasonDialog({ act, onClose }: Props) {
  const form = useRequestForm({
    request: StatedReason,
    initial: { reason: '' },
    command: useCommand(act.command, { onSuccess: onClose }),
    input: ({ reason }) => reason,
  });
  return (
    <FormDialog
      form={form}
      title={act.title}
      description={act.description}
      action={act.action}
      danger
      disabled={!form.isComplete}
      onClose={onClose}
    >
      <TextField
        label="Reason"
        hint="The owner and the audit trail see it. It cannot be deleted: leave personal data out."
        {...form.field('reason')}
      />
    </FormDialog>
  );
}
