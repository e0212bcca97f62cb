import { useQuery } from '@tanstack/react-query';
import { Image, Link2, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Rows } from '@/components/data/rows';
import { Empty, ErrorBox, Loading } from '@/components/data/states';
import type { Column } from '@/components/data/table';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { useCommand } from '@/lib/api/command';
import type { SocialChannel } from '@/lib/api/types';
import { formatCount, formatMinor } from '@/lib/format';
import { removePost, reportQuery } from '../api/posts';
import { isPostOf, type PostRow } from '../lib/posts';
import { rangeName, type ReportRange } from '../lib/report';
import { CreateSocialLink, EditPost } from './dialogs';
import { PostName } from './post-name';

type Open = { readonly what: 'link' | 'edit' | 'remove'; readonly post: PostRow };

interface Props {
  readonly channel: SocialChannel;
  readonly range: ReportRange;
}

/** The posts of a channel, newest first: what they bring, their links, title and picture. */
export function PostsCard({ channel, range }: Props) {
  const report = useQuery(reportQuery(channel.websiteId, range));
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const remove = useCommand(removePost);
  const posts = report.data?.filter(isPostOf(channel.id));
  return (
    <Card
      title={`Posts of ${channel.name}`}
      description={`Their tracked links: ${rangeName(range).toLowerCase()}, bots excluded. Views: all time.`}
    >
      {report.error && !posts ? (
        <ErrorBox error={report.error} prefix="Error loading posts" onRetry={() => void report.refetch()} />
      ) : !posts ? (
        <Loading label="Loading posts" />
      ) : posts.length === 0 ? (
        <Empty icon={<Image aria-hidden className="size-5" />} title="No posts yet">
          Add a post to create links for it and see what it earns.
        </Empty>
      ) : (
        <Rows
          caption={`Results of the posts of ${channel.name}`}
          columns={columnsOf(setOpen)}
          rows={posts}
          rowKey={(row) => row.postId}
        />
      )}
      {open?.what === 'link' && (
        <CreateSocialLink channel={channel} post={{ id: open.post.postId, title: open.post.name }} onClose={close} />
      )}
      {open?.what === 'edit' && (
        <EditPost post={posts?.find((post) => post.postId === open.post.postId) ?? open.post} onClose={close} />
      )}
      {open?.what === 'remove' && (
        <ConfirmDialog
          title={`Remove “${open.post.name}”?`}
          description="Its links keep working, and their clicks still count for the channel."
          action="Remove post"
          onConfirm={() => remove.mutate(open.post.postId)}
          onClose={close}
        />
      )}
    </Card>
  );
}

const columnsOf = (onOpen: (open: Open) => void): readonly Column<PostRow>[] => [
  { id: 'post', header: 'Post', cell: (row) => <PostName row={row} />, className: 'min-w-52' },
  { id: 'views', header: 'Views', cell: (row) => (row.views === null ? '–' : formatCount(row.views)), numeric: true },
  { id: 'clicks', header: 'Clicks', cell: (row) => formatCount(row.clicks), numeric: true },
  { id: 'sales', header: 'Sales', cell: (row) => formatCount(row.conversions), numeric: true },
  {
    id: 'revenue',
    header: 'Revenue',
    cell: (row) => formatMinor({ amount: row.revenueAmount, currency: row.currency }),
    numeric: true,
  },
  {
    id: 'actions',
    header: <span className="sr-only">Actions</span>,
    cell: (row) => (
      <div className="flex flex-wrap justify-end gap-1">
        <Button
          size="sm"
          aria-label={`Create link for ${row.name}`}
          onClick={() => onOpen({ what: 'link', post: row })}
        >
          <Link2 aria-hidden className="size-3.5" />
          Create link
        </Button>
        <Button
          size="sm"
          variant="ghost"
          aria-label={`Edit ${row.name}`}
          title="Edit"
          onClick={() => onOpen({ what: 'edit', post: row })}
        >
          <Pencil aria-hidden className="size-3.5" />
        </Button>
        <Button
          size="sm"
          variant="ghost"
          aria-label={`Remove ${row.name}`}
          title="Remove"
          onClick={() => onOpen({ what: 'remove', post: row })}
        >
          <Trash2 aria-hidden className="size-3.5" />
        </Button>
      </div>
    ),
  },
];
