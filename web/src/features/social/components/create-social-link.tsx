import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { Empty, ErrorBox, Loading } from '@/components/data/states';
import { Button, buttonClass } from '@/components/ui/button';
import { CopyField } from '@/components/ui/copy-field';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
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
  const [chosen, setChosen] = useState('');
  const [slug, setSlug] = useState('');
  const [campaign, setCampaign] = useState('');
  const partnerId = chosen || (active[0]?.id ?? '');
  const create = useCommand(createChannelLink(channel.id));
  const fields = create.error instanceof ApiError ? create.error.fields : {};
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
        <form
          noValidate
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            create.mutate({
              partnerId,
              ...(post ? { postId: post.id } : {}),
              ...(slug.trim() ? { slug: slug.trim() } : {}),
              ...(campaign.trim() ? { campaign: campaign.trim() } : {}),
            });
          }}
        >
          <SelectField
            label="Partner"
            value={partnerId}
            error={fields['partnerId']}
            onChange={(event) => setChosen(event.target.value)}
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
              value={slug}
              error={fields['slug']}
              hint="Leave blank for a short one."
              onChange={(event) => setSlug(event.target.value)}
            />
            <TextField
              label="Campaign (optional)"
              autoComplete="off"
              value={campaign}
              error={fields['campaign']}
              hint="utm_campaign. Leave blank for the slug."
              onChange={(event) => setCampaign(event.target.value)}
            />
          </div>
          {create.error && Object.keys(fields).length === 0 && <ErrorBox error={create.error} />}
          <Button type="submit" variant="primary" className="self-end" busy={create.isPending}>
            Create link
          </Button>
        </form>
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
