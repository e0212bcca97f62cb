import { ErrorBox } from '@/components/data/states';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Card } from '@/components/ui/card';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ListingFields } from '@/lib/api/request-schemas';
import { startListing } from '../api/selling';

/** Creates a draft from title and address; later changes are autosaved. */
export function SellStart({ onStarted }: { readonly onStarted: (id: string) => void }) {
  const start = useCommand(startListing, { onSuccess: ({ id }) => onStarted(id) });
  const form = useRequestForm({
    request: ListingFields,
    initial: { title: '', websiteUrl: '' },
    rules: { title: { required: true, missing: 'Please enter a title' } },
    command: start,
  });
  return (
    <Card
      title="Start your listing"
      description="It is a draft that only you can see until you submit it and an admin approves it."
      className="max-w-2xl"
    >
      <Form form={form}>
        <TextField label="Title" placeholder="VPN review site with steady search traffic" {...form.field('title')} />
        <TextField
          label="Website address (optional)"
          type="url"
          inputMode="url"
          placeholder="https://"
          {...form.field('websiteUrl')}
        />
        {start.error && <ErrorBox error={start.error} />}
        <SubmitButton form={form} className="self-end">
          Start draft
        </SubmitButton>
      </Form>
    </Card>
  );
}
