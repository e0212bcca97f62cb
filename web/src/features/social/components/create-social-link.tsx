import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { Empty, ErrorBox, Loading } from '@/components/data/states';
import { Form, FormError, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Button, buttonClass } from '@/components/ui/button';
import { CopyField } from '@/components/ui/copy-field';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { CreateSocialLink as CreateSocialLinkBounds } from '@/lib/api/request-schemas';
import type { NewLink, SocialChannel } from '@/lib/api/types';
import { partnersQuery } from '@/lib/api/shared-queries';
import { createChannelLink } from '../api/channels';
import { NETWORKS } from '../lib/networks';

interface Props {
  readonly channel: SocialChannel;
  /** Of one post: its clicks count for the post as well. */
  readonly post?: { readonly id: string; readonly title: string };
  readonly onClose: () => void;
}

/** A partner makes a link; slug and campaign are optional. Then its address and QR code. */
export function CreateSocialLink({ channel, post, onClose }: Props) {
  const partners = useQuery(partnersQuery);
  const active = partners.data?.filter((partner) => partner.isActive) ?? [];
  const first = active[0]?.id ?? '';
  const create = useCommand(createChannelLink(channel.id));
  const form = useRequestForm({
    request: CreateSocialLinkBounds,
    initial: { partnerId: '', slug: '', campaign: '' },
    rules: { partnerId: { required: false } }, // without a choice it is the first
    command: create,
    input: ({ partnerId: chosen, slug, campaign }) => ({
      partnerId: chosen || first,
      ...(post ? { postId: post.id } : {}),
      ...(slug ? { slug } : {}),
      ...(campaign ? { campaign } : {}),
    }),
  });
  const partnerId = form.values.partnerId || first;
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={create.data ? 'Link created' : `Create a link for ${post?.title ?? channel.name}`}
      description={
        create.data
          ? `Clicks count for ${post?.title ?? channel.name} on ${NETWORKS[channel.network].label}.`
          : `Its clicks get the ${post ? 'post’s' : 'channel’s'} UTM parameters.`
      }
    >
      {create.data ? (
        <Created link={create.data} onClose={onClose} />
      ) : partners.error && !partners.data ? (
        <ErrorBox error={partners.error} prefix="Error loading partners" onRetry={() => void partners.refetch()} />
      ) : !partners.data ? (
        <Loading label="Loading partners" />
      ) : active.length === 0 ? (
        <Empty title="No active partners">Add a partner first, then create links to it.</Empty>
      ) : (
        <Form form={form}>
          <SelectField
            label="Partner"
            value={partnerId}
            error={form.fault('partnerId')}
            onChange={(event) => form.set('partnerId')(event.target.value)}
          >
            {active.map((partner) => (
              <option key={partner.id} value={partner.id}>
                {partner.name}
              </option>
            ))}
          </SelectField>
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label="Slug (optional)"
              autoComplete="off"
              autoCapitalize="none"
              hint="Leave blank for a short one."
              {...form.field('slug')}
            />
            <TextField
              label="Campaign (optional)"
              autoComplete="off"
              hint="utm_campaign. Leave blank for the slug."
              {...form.field('campaign')}
            />
          </div>
          <FormError form={form} />
          <SubmitButton form={form} className="self-end">
            Create link
          </SubmitButton>
        </Form>
      )}
    </Dialog>
  );
}

function Created({ link, onClose }: { readonly link: NewLink; readonly onClose: () => void }) {
  const address = `/api/platform/links/${encodeURIComponent(link.id)}/qr.svg`;
  return (
    <div className="flex flex-col gap-4">
      <CopyField label="Link address" value={link.url} />
      <img
        src={address}
        alt={`QR code of ${link.url}`}
        className="mx-auto size-56 rounded-lg border border-line bg-white"
      />
      {!link.passesClickId && (
        <p className="text-warn">This partner can’t pass a click ID, so its sales are not attributed to clicks.</p>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <a href={address} download={`${link.slug}.svg`} className={buttonClass()}>
          <Download aria-hidden className="size-4" />
          Download QR code
        </a>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}
