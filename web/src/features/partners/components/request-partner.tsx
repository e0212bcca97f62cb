import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextArea, TextField } from '@/components/ui/field';
import { addressFrom } from '@/lib/url/address';
import { useCommand } from '@/lib/api/command';
import { RequestPartner as RequestPartnerBounds } from '@/lib/api/request-schemas';
import { requestPartner } from '../api/requests';

/** Requests that the directory gets a program. */
export function RequestPartner({ onClose }: { readonly onClose: () => void }) {
  const request = useCommand(requestPartner);
  const form = useRequestForm({
    request: RequestPartnerBounds,
    initial: { name: '', website: '', note: '' },
    rules: {
      name: { maxLength: 100, missing: 'Enter a name' },
      website: { missing: 'Enter the program’s website' },
      note: { maxLength: 1000 },
    },
    command: { ...request, error: null }, // a toast says why
    input: (values) => ({ ...values, website: addressFrom(values.website) }),
    onSent: onClose,
  });
  return (
    <FormDialog
      form={form}
      title="Request a partner"
      description="An admin adds it for everyone, or tells you why not."
      action="Send request"
      onClose={onClose}
    >
      <TextField label="Name" {...form.field('name')} />
      <TextField label="Website" inputMode="url" placeholder="shop.example" {...form.field('website')} />
      <TextArea
        label="Note (optional)"
        rows={3}
        hint="For example, its network and commission."
        {...form.field('note')}
      />
    </FormDialog>
  );
}
