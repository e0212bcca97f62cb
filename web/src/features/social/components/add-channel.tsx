import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ApiError, messageOf } from '@/lib/api/errors';
import type { Website } from '@/lib/api/types';
import { addChannel } from '../api/channels';
import { NETWORK_NAMES, NETWORKS } from '../lib/networks';

export function AddChannel({ website }: { readonly website: Website }) {
  const [network, setNetwork] = useState(NETWORK_NAMES[0] ?? 'instagram');
  const [handle, setHandle] = useState('');
  const add = useCommand(addChannel, { onSuccess: () => setHandle('') });
  const error =
    add.error instanceof ApiError
      ? (add.error.fields['handle'] ?? add.error.message)
      : add.error
        ? messageOf(add.error)
        : undefined;
  return (
    <Card title="Add a channel" description={`For ${website.domain}`}>
      <form
        noValidate
        className="flex flex-wrap items-start gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (handle.trim() !== '') add.mutate({ websiteId: website.id, network, handle: handle.trim() });
        }}
      >
        <SelectField
          label="Network"
          className="min-w-40"
          value={network}
          onChange={(event) => {
            setNetwork(NETWORK_NAMES.find((name) => name === event.target.value) ?? network);
            add.reset();
          }}
        >
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
          error={error}
          value={handle}
          onChange={(event) => setHandle(event.target.value)}
        />
        <Button type="submit" variant="primary" className="mt-6.5" busy={add.isPending} disabled={handle.trim() === ''}>
          Add channel
        </Button>
      </form>
    </Card>
  );
}
