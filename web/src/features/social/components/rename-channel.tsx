import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import type { SocialChannel } from '@/lib/api/types';
import { renameChannel } from '../api/channels';
import { NETWORKS } from '../lib/networks';

interface Props {
  readonly channel: SocialChannel;
  readonly onClose: () => void;
}

/** The name is the owner's own; the handle follows the network. */
export function RenameChannel({ channel, onClose }: Props) {
  const [name, setName] = useState(channel.name);
  const [handle, setHandle] = useState(channel.handle);
  const rename = useCommand(renameChannel(channel.id));
  const fields = rename.error instanceof ApiError ? rename.error.fields : {};
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={`Rename ${channel.name}`}
      description={`A channel on ${NETWORKS[channel.network].label}`}
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          const names = {
            ...(name === channel.name ? {} : { name: name.trim() }),
            ...(handle === channel.handle ? {} : { handle: handle.trim() }),
          };
          rename.mutate(names, { onSuccess: onClose });
        }}
      >
        <TextField
          label="Name"
          autoComplete="off"
          value={name}
          error={fields['name']}
          hint="Leave blank for the handle."
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Handle"
          autoComplete="off"
          autoCapitalize="none"
          value={handle}
          error={fields['handle']}
          onChange={(event) => setHandle(event.target.value)}
        />
        {rename.error && Object.keys(fields).length === 0 && <ErrorBox error={rename.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={rename.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
