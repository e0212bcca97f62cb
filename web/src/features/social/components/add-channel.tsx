import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { SelectField, TextField } from '@/components/ui/field';
import { api, body } from '@/lib/api/client';
import { ApiError, messageOf } from '@/lib/api/errors';
import type { Website } from '@/lib/api/types';
import { toast } from '@/stores/toasts';
import { useChannelsChanged } from '../api/channels';
import { NETWORK_NAMES, NETWORKS } from '../lib/networks';

export function AddChannel({ website }: { readonly website: Website }) {
  const changed = useChannelsChanged();
  const [network, setNetwork] = useState(NETWORK_NAMES[0] ?? 'instagram');
  const [handle, setHandle] = useState('');
  const add = useMutation({
    mutationFn: () =>
      body(
        api.POST('/api/platform/social-channels', {
          body: { websiteId: website.id, network, handle: handle.trim() },
        }),
      ),
    onSuccess: async (channel) => {
      setHandle('');
      toast('Channel added', `${channel.name} on ${NETWORKS[channel.network].label}`);
      await changed();
    },
  });
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
          if (handle.trim() !== '') add.mutate();
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
