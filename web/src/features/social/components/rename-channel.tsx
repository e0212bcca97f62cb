import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { RenameSocialChannel } from '@/lib/api/request-schemas';
import type { SocialChannel } from '@/lib/api/types';
import { renameChannel } from '../api/channels';
import { NETWORKS } from '../lib/networks';

interface Props {
  readonly channel: SocialChannel;
  readonly onClose: () => void;
}

/** The name is the owner's own; the handle follows the network. */
export function RenameChannel({ channel, onClose }: Props) {
  const form = useRequestForm({
    request: RenameSocialChannel,
    initial: { name: channel.name, handle: channel.handle },
    command: useCommand(renameChannel(channel.id)),
    input: ({ name, handle }) => ({
      ...(name === channel.name ? {} : { name }),
      ...(handle === channel.handle ? {} : { handle }),
    }),
    onSent: onClose,
  });
  return (
    <FormDialog
      form={form}
      title={`Rename ${channel.name}`}
      description={`A channel on ${NETWORKS[channel.network].label}`}
      action="Save"
      onClose={onClose}
    >
      <TextField label="Name" autoComplete="off" hint="Leave blank for the handle." {...form.field('name')} />
      <TextField label="Handle" autoComplete="off" autoCapitalize="none" {...form.field('handle')} />
    </FormDialog>
  );
}
