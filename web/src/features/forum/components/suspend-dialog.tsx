import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { Suspension } from '@/lib/api/request-schemas';
import { suspendMember } from '../api/moderation-commands';
import { endOf, SPANS } from '../lib/suspension';

interface Props {
  readonly member: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
}

export function SuspendDialog({ member, onClose }: Props) {
  const form = useRequestForm({
    request: Suspension,
    initial: { span: '0', reason: '' },
    rules: { reason: { maxLength: 500 } },
    command: useCommand(suspendMember(member.id), { onSuccess: onClose }),
    input: ({ span, reason }) => ({ reason, until: endOf(SPANS[Number(span)]?.days ?? null, Date.now()) }),
  });
  return (
    <FormDialog
      form={form}
      title={`Suspend ${member.name}`}
      description="They can read the forum but not post. The reason is shown to them."
      action="Suspend"
      danger
      disabled={!form.isComplete}
      onClose={onClose}
    >
      <SelectField label="Duration" {...form.field('span')}>
        {SPANS.map((item, index) => (
          <option key={item.label} value={index}>
            {item.label}
          </option>
        ))}
      </SelectField>
      <TextField label="Reason" {...form.field('reason')} hint="Shown to the member and in the moderation log." />
    </FormDialog>
  );
}
