import { Link } from '@tanstack/react-router';
import { Check, Flag, Heart, History, Link2, MoreHorizontal, Pencil, Quote, Reply, RotateCcw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { When } from '@/components/data/when';
import { Written } from '@/components/text/written';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { Menu, MenuItem, MenuSeparator } from '@/components/ui/menu';
import { copyText } from '@/lib/clipboard';
import { cx } from '@/lib/cx';
import { formatCount } from '@/lib/format';
import { toast, toastError } from '@/stores/toasts';
import { EditPost } from './edit-post';
import { MemberName } from './member-name';
import type { Post } from './types';
import type { PostCommands } from './use-post-commands';

export type PostDialog = 'delete' | 'flag' | 'history';

interface Props {
  readonly post: Post;
  /** Its place in the thread is asked for by its address: it stands out. */
  readonly sought: boolean;
  readonly signedIn: boolean;
  readonly moderator: boolean;
  /** The reader wrote it, or may see how it was. */
  readonly mine: boolean;
  readonly canReply: boolean;
  readonly commands: PostCommands;
  readonly onReply: (post: Post, quote: boolean) => void;
  readonly onAsk: (what: PostDialog, post: Post) => void;
  readonly onSignIn: () => void;
}

const STATES = { held: 'Waits for approval', hidden: 'Hidden after reports', deleted: 'Deleted' } as const;

export function PostCard({ post, sought, signedIn, moderator, mine, canReply, commands, onReply, onAsk, onSignIn }: Props) {
  const [editing, setEditing] = useState(false);
  const by = `by ${post.author.name}`;
  return (
    <article
      id={`post-${post.id}`}
      tabIndex={-1}
      aria-label={`${post.isFirst ? 'First post' : 'Reply'} ${by}`}
      className={cx(surface, 'scroll-mt-20 p-4 sm:p-5', sought && 'border-brand', post.state !== 'visible' && 'bg-sunken')}
    >
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1 text-[0.8125rem] text-muted">
        <span className="max-w-full text-sm">
          <MemberName member={post.author} withRole />
        </span>
        <Link to="/forum/thread/$id" params={{ id: post.threadId }} search={{ post: post.id }} resetScroll={false} className="rounded hover:underline">
          <When at={post.createdAt} />
        </Link>
        {post.editedAt && (
          <span>
            · edited <When at={post.editedAt} />
          </span>
        )}
        {post.state !== 'visible' && <Badge tone="warn">{STATES[post.state]}</Badge>}
      </header>
      {post.replyTo && (
        <Link
          to="/forum/thread/$id"
          params={{ id: post.threadId }}
          search={{ post: post.replyTo.id }}
          resetScroll={false}
          className="mt-2.5 block truncate rounded-lg border-l-4 border-line-strong/50 bg-sunken px-3 py-1.5 text-[0.8125rem] text-muted hover:text-text"
        >
          <span className="font-medium">{post.replyTo.author.name}</span>: {post.replyTo.excerpt}
        </Link>
      )}
      <div className="mt-3">
        {editing ? (
          <EditPost post={post} onSave={(text) => commands.edit(post, text)} onClose={() => setEditing(false)} />
        ) : (
          <Written text={post.text} mentions={post.mentions} />
        )}
      </div>
      {!editing && (
        <footer className="mt-3 flex flex-wrap items-center gap-1">
          {post.state === 'visible' && (
            <Button
              variant="ghost"
              size="sm"
              aria-pressed={post.liked}
              aria-label={`Like the post ${by}, ${formatCount(post.likes)} ${post.likes === 1 ? 'like' : 'likes'}`}
              aria-disabled={mine}
              title={mine ? 'Your own post' : undefined}
              onClick={mine ? undefined : signedIn ? () => commands.like(post) : onSignIn}
              className={post.liked ? 'text-brand' : ''}
            >
              <Heart aria-hidden className={cx('size-4', post.liked && 'fill-current')} />
              {formatCount(post.likes)}
            </Button>
          )}
          {canReply && post.state === 'visible' && (
            <>
              <Button variant="ghost" size="sm" aria-label={`Reply to the post ${by}`} onClick={() => onReply(post, false)}>
                <Reply aria-hidden className="size-4" />
                Reply
              </Button>
              <Button variant="ghost" size="sm" aria-label={`Quote the post ${by}`} onClick={() => onReply(post, true)}>
                <Quote aria-hidden className="size-4" />
                <span className="max-sm:hidden">Quote</span>
              </Button>
            </>
          )}
          <div className="ml-auto">
            <More post={post} by={by} moderator={moderator} mine={mine} signedIn={signedIn} commands={commands} onAsk={onAsk} onEdit={() => setEditing(true)} onSignIn={onSignIn} />
          </div>
        </footer>
      )}
    </article>
  );
}

type MoreProps = Pick<Props, 'post' | 'moderator' | 'mine' | 'signedIn' | 'commands' | 'onAsk' | 'onSignIn'> & { readonly by: string; readonly onEdit: () => void };

function More({ post, by, moderator, mine, signedIn, commands, onAsk, onEdit, onSignIn }: MoreProps) {
  const copy = () =>
    copyText(`${window.location.origin}/forum/thread/${post.threadId}?post=${post.id}`).then(
      () => toast('Link copied!', 'The link has been copied to your clipboard.'),
      () => toastError('Failed to copy', 'Please try again.'),
    );
  return (
    <Menu
      trigger={
        <Button variant="ghost" size="sm" aria-label={`More about the post ${by}`}>
          <MoreHorizontal aria-hidden className="size-4" />
        </Button>
      }
    >
      <MenuItem onSelect={() => void copy()}>
        <Link2 aria-hidden className="size-4" />
        Copy link
      </MenuItem>
      {post.edits > 0 && (mine || moderator) && (
        <MenuItem onSelect={() => onAsk('history', post)}>
          <History aria-hidden className="size-4" />
          Earlier texts
        </MenuItem>
      )}
      {post.canEdit && (
        <MenuItem onSelect={onEdit}>
          <Pencil aria-hidden className="size-4" />
          Edit
        </MenuItem>
      )}
      {!mine && post.state === 'visible' && !post.flagged && (
        <MenuItem onSelect={signedIn ? () => onAsk('flag', post) : onSignIn}>
          <Flag aria-hidden className="size-4" />
          Report
        </MenuItem>
      )}
      {moderator && (post.state === 'held' || post.state === 'hidden') && (
        <MenuItem onSelect={() => commands.approve(post)}>
          <Check aria-hidden className="size-4" />
          Approve
        </MenuItem>
      )}
      {moderator && post.state === 'deleted' && (
        <MenuItem onSelect={() => commands.restore(post)}>
          <RotateCcw aria-hidden className="size-4" />
          Restore
        </MenuItem>
      )}
      {post.canDelete && (
        <>
          <MenuSeparator />
          <MenuItem onSelect={() => onAsk('delete', post)}>
            <Trash2 aria-hidden className="size-4" />
            Delete
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
