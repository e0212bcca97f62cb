import { useQuery } from '@tanstack/react-query';
import { Link2, Pencil, Share2, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { opened } from '@/components/data/opened';
import { Rows } from '@/components/data/rows';
import { Empty, ErrorBox, Loading, Skeleton } from '@/components/data/states';
import type { Column } from '@/components/data/table';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { CopyButton } from '@/components/ui/copy-field';
import { useCommand } from '@/lib/api/command';
import type { SocialChannel, Website } from '@/lib/api/types';
import { formatCount, formatMinor } from '@/lib/format';
import { ConnectionsCard } from './connections-card';
import { CreateSocialLink, RenameChannel } from './dialogs';
import { channelsQuery, removeChannel } from '../api/channels';
import { NETWORKS } from '../lib/networks';

const AddChannel = opened(
  () => import('./add-channel').then((module) => module.AddChannel),
  <Skeleton className="h-44" />,
);

type Open = { readonly what: 'link' | 'rename' | 'remove'; readonly channel: SocialChannel };

interface Props {
  readonly website: Website;
  /** Links a channel to its posts. */
  readonly posts: (channel: SocialChannel) => ReactNode;
  /** Links a channel that has links to the page that lists them. */
  readonly bioPage: (channel: SocialChannel) => ReactNode;
}

/** The social channels of a website: what they bring, and their links. */
export function ChannelsPanel({ website, posts, bioPage }: Props) {
  const channels = useQuery(channelsQuery(website.id));
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const remove = useCommand(removeChannel);
  return (
    <div className="flex flex-col gap-5">
      <Card
        title="Social channels"
        description="Clicks, conversions and revenue of their links: last 30 days, bots excluded"
      >
        {channels.error && !channels.data ? (
          <ErrorBox error={channels.error} prefix="Error loading channels" onRetry={() => void channels.refetch()} />
        ) : !channels.data ? (
          <Loading label="Loading channels" />
        ) : channels.data.length === 0 ? (
          <Empty icon={<Share2 aria-hidden className="size-5" />} title="No social channels yet">
            Add a channel to create links for it and see what it earns.
          </Empty>
        ) : (
          <Rows
            caption={`Social channels of ${website.domain}`}
            columns={columnsOf(setOpen, posts, bioPage)}
            rows={channels.data}
            rowKey={(row) => row.id}
          />
        )}
      </Card>
      {channels.data && <ConnectionsCard websiteId={website.id} channels={channels.data} />}
      <AddChannel key={website.id} website={website} />
      {open?.what === 'link' && <CreateSocialLink channel={open.channel} onClose={close} />}
      {open?.what === 'rename' && <RenameChannel channel={open.channel} onClose={close} />}
      {open?.what === 'remove' && (
        <ConfirmDialog
          title={`Remove ${open.channel.name}?`}
          description="Its links keep working, and their clicks are still counted."
          action="Remove channel"
          onConfirm={() => remove.mutate(open.channel.id)}
          onClose={close}
        />
      )}
    </div>
  );
}

const columnsOf = (
  onOpen: (open: Open) => void,
  posts: Props['posts'],
  bioPage: Props['bioPage'],
): readonly Column<SocialChannel>[] => [
  {
    id: 'channel',
    header: 'Channel',
    className: 'min-w-29',
    cell: (row) => (
      <>
        <a
          href={row.url}
          target="_blank"
          rel="noopener noreferrer"
          className="font-medium wrap-anywhere text-brand hover:underline"
        >
          {row.name}
        </a>
        <span className="block text-[0.8125rem] text-muted">{NETWORKS[row.network].label}</span>
      </>
    ),
  },
  { id: 'links', header: 'Links', cell: (row) => formatCount(row.links), numeric: true },
  {
    id: 'clicks',
    header: 'Clicks',
    cell: (row) => (row.clicks === null ? '–' : formatCount(row.clicks)),
    numeric: true,
  },
  {
    id: 'conversions',
    header: 'Conversions',
    cell: (row) => (row.conversions === null ? '–' : formatCount(row.conversions)),
    numeric: true,
  },
  { id: 'revenue', header: 'Revenue', cell: (row) => (row.revenue ? formatMinor(row.revenue) : '–'), numeric: true },
  {
    id: 'actions',
    header: <span className="sr-only">Actions</span>,
    className: 'min-w-63',
    cell: (row) => (
      <div className="flex flex-wrap justify-end gap-1">
        <Button
          size="sm"
          aria-label={`Create link for ${row.name}`}
          onClick={() => onOpen({ what: 'link', channel: row })}
        >
          <Link2 aria-hidden className="size-3.5" />
          Create link
        </Button>
        {posts(row)}
        {row.links > 0 && bioPage(row)}
        <CopyButton text={row.websiteUrl} label={`website address for ${row.name}`} shows="Website address" />
        <Button
          size="sm"
          variant="ghost"
          aria-label={`Rename ${row.name}`}
          title="Rename"
          onClick={() => onOpen({ what: 'rename', channel: row })}
        >
          <Pencil aria-hidden className="size-3.5" />
        </Button>
        <Button
          size="sm"
          variant="ghost"
          aria-label={`Remove ${row.name}`}
          title="Remove"
          onClick={() => onOpen({ what: 'remove', channel: row })}
        >
          <Trash2 aria-hidden className="size-3.5" />
        </Button>
      </div>
    ),
  },
];
