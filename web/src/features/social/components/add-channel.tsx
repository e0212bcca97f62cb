import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Card } from '@/components/ui/card';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { messageOf } from '@/lib/api/errors';
import { AddSocialChannel } from '@/lib/api/request-schemas';
import type { Website } from '@/lib/api/types';
import { addChannel } from '../api/channels';
import { NETWORK_NAMES, NETWORKS } from '../lib/networks';

export function AddChannel({ website }: { readonly website: Website }) {
  const add = useCommand(addChannel);
  const form = useRequestForm({
    request: AddSocialChannel,
    initial: { network: NETWORK_NAMES[0] ?? 'instagram', handle: '' },
    command: add,
    input: (values) => ({ ...values, websiteId: website.id }),
    forget: add.reset,
    onSent: () => {
      form.reset({ network, handle: '' });
    },
  });
  const { network } = form.values;
  return (
    <Card title="Add a channel" description={`For ${website.domain}`}>
      <Form form={form} className="flex flex-wrap items-start gap-4">
        <SelectField label="Network" className="min-w-40" {...form.field('network')}>
          {NETWORK_NAMES.map((name) => (
            <option key={name} value={name}>
              {NETWORKS[name].label}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Handle or address"
          placeholder={NETWORKS[network].example}
          autoComplete="off"
          autoCapitalize="none"
          className="min-w-56 flex-1"
          {...form.field('handle')}
          error={form.fault('handle') ?? (form.error ? messageOf(form.error) : undefined)}
        />
        <SubmitButton form={form} className="mt-6.5" disabled={!form.isComplete}>
          Add channel
        </SubmitButton>
      </Form>
    </Card>
  );
}
