import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight, Lock } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { ErrorBox, Loading } from '@/components/data/states';
import { Button, buttonClass } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { ApiError } from '@/lib/api/errors';
import { cx } from '@/lib/cx';
import { formatCount } from '@/lib/format';
import { isModerator, useSession } from '@/lib/session';
import { DeleteDialog, FlagDialog, HistoryDialog } from './dialogs';
import { PostCard } from './post-card';
import { postsQuery } from '../api/posts';
import { ReplyForm, type ReplyHandle } from './reply-form';
import { written, type Place } from '../lib/search';
import type { Post, PostDialog, ThreadInFull } from '../lib/types';
import { useReading } from '../hooks/use-reading';

/** More posts than fit into a view. */
const FIRST_VIEW = 2;

interface Props {
  readonly thread: ThreadInFull;
  readonly place: Place;
  /** Navigates to a post of the thread, so that the back button returns here. */
  readonly onGo: (postId: string) => void;
  /** The author deleted the thread. */
  readonly onGone: () => void;
  readonly onSignIn: () => void;
}

/** The posts of a thread, a page at a time: each page has an address of its own. */
export function ThreadView({ thread, place, onGo, onGone, onSignIn }: Props) {
  const session = useSession();
  // The page before stays until the next one is there: what is being written under it stays, too.
  const query = useQuery({
    ...postsQuery(thread.id, place),
    placeholderData: (before, last) => (last?.queryKey[2] === thread.id ? before : undefined),
  });
  const form = useRef<ReplyHandle>(null);
  const [asked, setAsked] = useState<{ readonly what: PostDialog; readonly post: Post } | null>(null);
  const me = session?.user.id ?? null;
  const moderator = isModerator(session?.user);
  const posts = query.data?.data;
  const arrived = posts !== undefined && !query.isPlaceholderData;
  useReading(thread, arrived ? posts : undefined, me !== null);
  useSought(place.post, arrived);
  if (query.error && isGone(query.error) && (place.post || place.cursor)) return <MissingPost threadId={thread.id} />;
  if (query.error && !query.data)
    return <ErrorBox error={query.error} prefix="Error loading posts" onRetry={() => void query.refetch()} />;
  if (!query.data || !posts) return <Loading label="Loading posts" />;
  const close = () => setAsked(null);
  const reply = (post: Post, quote: boolean) => (me ? form.current?.to(post, quote) : onSignIn());
  const pager = <Pager threadId={thread.id} previous={query.data.previousCursor} next={query.data.nextCursor} />;
  return (
    <div className="flex flex-col gap-4">
      {pager}
      <ol className={cx('flex flex-col gap-3', !arrived && 'opacity-60')} aria-label="Posts" aria-busy={!arrived}>
        {posts.map((post, index) => (
          <li key={post.id}>
            <PostCard
              post={post}
              later={place.post === null && index >= FIRST_VIEW}
              sought={post.id === place.post}
              signedIn={me !== null}
              moderator={moderator}
              mine={post.author.id !== null && post.author.id === me}
              canReply={me === null ? !thread.isLocked : thread.canReply}
              onReply={reply}
              onAsk={(what, about) => setAsked({ what, post: about })}
              onSignIn={onSignIn}
            />
          </li>
        ))}
      </ol>
      {posts.length === 0 && <p className="py-8 text-center text-muted">There are no posts here.</p>}
      {pager}
      {thread.isLocked && (
        <p className="flex items-center gap-2 rounded-lg bg-sunken px-4 py-3 text-muted">
          <Lock aria-hidden className="size-4 shrink-0" />
          This thread is locked: only moderators can reply.
        </p>
      )}
      {me === null ? (
        !thread.isLocked && (
          <Button variant="primary" className="self-start" onClick={onSignIn}>
            Sign in to reply
          </Button>
        )
      ) : thread.canReply ? (
        <ReplyForm ref={form} key={`${thread.id} ${me}`} threadId={thread.id} onReplied={onGo} />
      ) : (
        !thread.isLocked && (
          <p className="rounded-lg bg-sunken px-4 py-3 text-muted">Replies open once the first post is approved.</p>
        )
      )}
      {asked?.what === 'flag' && <FlagDialog post={asked.post} onClose={close} />}
      {asked?.what === 'history' && <HistoryDialog post={asked.post} onClose={close} />}
      {asked?.what === 'delete' && (
        <DeleteDialog
          post={asked.post}
          moderating={moderator}
          onDeleted={() => asked.post.isFirst && !moderator && onGone()}
          onClose={close}
        />
      )}
    </div>
  );
}

const isGone = (error: Error): boolean => error instanceof ApiError && [400, 404, 422].includes(error.status);

/** The address names a post that was deleted, or never was; the thread itself is there. */
function MissingPost({ threadId }: { readonly threadId: string }) {
  return (
    <div role="alert" className={cx(surface, 'p-6')}>
      <p>The linked post no longer exists.</p>
      <Link to="/forum/thread/$id" params={{ id: threadId }} className={buttonClass({}, 'mt-4')}>
        Go to the start of the thread
      </Link>
    </div>
  );
}

/** What the header of a thread says beside its title. */
export function ThreadStats({ thread }: { readonly thread: ThreadInFull }) {
  return (
    <span className="tabular">
      {`${formatCount(thread.replies)} ${thread.replies === 1 ? 'reply' : 'replies'} · ${formatCount(thread.views)} ${thread.views === 1 ? 'view' : 'views'}`}
    </span>
  );
}

interface PagerProps {
  readonly threadId: string;
  readonly previous: string | null;
  readonly next: string | null;
}

function Pager({ threadId, previous, next }: PagerProps) {
  if (!previous && !next) return null;
  const to = (cursor: string | null) =>
    ({ to: '/forum/thread/$id', params: { id: threadId }, search: written({ cursor }) }) as const;
  return (
    <nav aria-label="Pages of the thread" className="flex items-center justify-between gap-3">
      {previous ? (
        <span className="flex gap-2">
          <Link {...to(null)} className={buttonClass({ size: 'sm' })}>
            First
          </Link>
          <Link {...to(previous)} className={buttonClass({ size: 'sm' })}>
            <ChevronLeft aria-hidden className="size-3.5" />
            Earlier posts
          </Link>
        </span>
      ) : (
        <span />
      )}
      {next && (
        <Link {...to(next)} className={buttonClass({ size: 'sm' })}>
          Later posts
          <ChevronRight aria-hidden className="size-3.5" />
        </Link>
      )}
    </nav>
  );
}

/** Shows the post that the address names, once it is there, and again when its text has got its shape. */
function useSought(post: string | null, loaded: boolean): void {
  useEffect(() => {
    if (!post || !loaded) return;
    const show = () => {
      const found = document.getElementById(`post-${post}`);
      found?.scrollIntoView({ block: 'start' });
      found?.focus({ preventScroll: true });
    };
    show();
    let second = 0;
    const first = requestAnimationFrame(() => (second = requestAnimationFrame(show)));
    return () => {
      cancelAnimationFrame(first);
      cancelAnimationFrame(second);
    };
  }, [post, loaded]);
}
