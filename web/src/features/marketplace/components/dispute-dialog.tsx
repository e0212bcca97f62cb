import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextArea } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { Text } from '@/lib/api/request-schemas';
import { openDispute } from '../api/deals';
import type { Deal } from '../lib/deal-steps';

export function DisputeDialog({ deal, onClose }: { readonly deal: Deal; readonly onClose: () => void }) {
  const isDirect = deal.escrow?.isDirect ?? false;
  const form = useRequestForm({
    request: Text,
    initial: { text: '' },
    rules: { text: { maxLength: 10_000, missing: 'Please enter a text' } },
    command: useCommand(openDispute(deal.id, isDirect), { onSuccess: onClose }),
    input: ({ text }) => text,
  });
  return (
    <FormDialog
      form={form}
      danger
      title="Open a dispute?"
      description={
        isDirect
          ? 'An admin reviews this thread and records how the deal ended. Nothing was held, so no money can be paid back.'
          : 'The money stays in escrow until an admin reviews this thread and decides.'
      }
      action="Open a dispute"
      onClose={onClose}
    >
      <TextArea label="What is different from the agreement?" rows={5} {...form.field('text')} />
    </FormDialog>
  );
}
