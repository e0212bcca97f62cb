import { Link } from '@tanstack/react-router';
import { Heart, MoreHorizontal, Quote, Reply } from 'lucide-react';
import { lazy, useState } from 'react';
import { When } from '@/components/data/when';
import { MemberText } from '@/components/text/member-text';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { LateMenu } from '@/components/ui/late-menu';
import { useCommand } from '@/lib/api/command';
import { cx } from '@/lib/cx';
import { formatCount } from '@/lib/format';
import { likePost } from '../api/posts';
import { EditPost } from './edit-post';
import { MemberName } from './member-name';
import type { Post, PostDialog } from '../lib/types';

const PostMenu = lazy(() => import('./post-menu').then((module) => ({ default: module.PostMenu })));

interface Props {
  readonly post: Post;
  /** Below the first view of the page. */
  readonly later: boolean;
  /** Highlighted because the URL links to it. */
  readonly sought: boolean;
  readonly signedIn: boolean;
  readonly moderator: boolean;
  /** The reader wrote it, or may see how it was. */
  readonly mine: boolean;
  readonly canReply: boolean;
  readonly onReply: (post: Post, quote: boolean) => void;
  readonly onAsk: (what: PostDialog, post: Post) => void;
  readonly onSignIn: () => void;
}

const STATES = { held: 'Pending review', hidden: 'Hidden after reports', deleted: 'Deleted' } as const;

export function PostCard({
  post,
  later,
  sought,
  signedIn,
  moderator,
  mine,
  canReply,
  onReply,
  onAsk,
  onSignIn,
}: Props) {
  const like = useCommand(likePost);
  const [editing, setEditing] = useState(false);
  const by = `by ${post.author.name}`;
  return (
    <article
      id={`post-${post.id}`}
      tabIndex={-1}
      aria-label={`${post.isFirst ? 'First post' : 'Reply'} ${by}`}
      className={cx(
        surface,
        'scroll-mt-20 p-4 sm:p-5',
        sought && 'border-brand',
        post.state !== 'visible' && 'bg-sunken',
      )}
    >
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1 text-[0.8125rem] text-muted">
        <span className="max-w-full text-sm">
          <MemberName member={post.author} withRole />
        </span>
        <Link
          to="/forum/thread/$id"
          params={{ id: post.threadId }}
          search={{ post: post.id }}
          resetScroll={false}
          className="rounded hover:underline"
        >
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
          <EditPost post={post} onClose={() => setEditing(false)} />
        ) : (
          <MemberText text={post.text} mentions={post.mentions} later={later} />
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
              onClick={mine ? undefined : signedIn ? () => like.mutate(post) : onSignIn}
            >
              <Heart aria-hidden className={cx('size-4', post.liked && 'fill-current text-brand')} />
              {formatCount(post.likes)}
            </Button>
          )}
          {canReply && post.state === 'visible' && (
            <>
              <Button
                variant="ghost"
                size="sm"
                aria-label={`Reply to the post ${by}`}
                onClick={() => onReply(post, false)}
              >
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
            <LateMenu
              trigger={
                <Button variant="ghost" size="sm" aria-label={`More about the post ${by}`}>
                  <MoreHorizontal aria-hidden className="size-4" />
                </Button>
              }
            >
              {(trigger) => (
                <PostMenu
                  trigger={trigger}
                  post={post}
                  moderator={moderator}
                  mine={mine}
                  signedIn={signedIn}
                  onAsk={onAsk}
                  onEdit={() => setEditing(true)}
                  onSignIn={onSignIn}
                />
              )}
            </LateMenu>
          </div>
        </footer>
      )}
    </article>
  );
}
