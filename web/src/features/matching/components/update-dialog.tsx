import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { SelectField, TextArea } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { MoveApplication } from '@/lib/api/request-schemas';
import { moveApplication, type Application } from '../api/matching';
import { NEXT, STATUSES } from '../lib/labels';

export function UpdateDialog({ item, onClose }: { readonly item: Application; readonly onClose: () => void }) {
  const form = useRequestForm({
    request: MoveApplication,
    initial: { status: item.status, note: '' },
    command: useCommand(moveApplication(item), { onSuccess: onClose }),
    ready: ({ status, note }) => status !== item.status || note.trim() !== '',
  });
  return (
    <FormDialog
      form={form}
      title={`Application to ${item.companyName}`}
      description="Status"
      action="Save"
      disabled={!form.isComplete}
      onClose={onClose}
    >
      <SelectField label="Status" {...form.field('status')}>
        {[item.status, ...NEXT[item.status]].map((one) => (
          <option key={one} value={one}>
            {STATUSES[one].label}
          </option>
        ))}
      </SelectField>
      <TextArea label="Note" rows={3} hint="Optional; visible only to you" {...form.field('note')} />
    </FormDialog>
  );
}
