import { useQuery, type QueryClient } from '@tanstack/react-query';
import { Link, useLocation, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ErrorBox, Loading } from '@/components/data/states';
import { isMissing } from '@/lib/api/errors';
import type { FlatSearch } from '@/lib/url/search';
import { useSession } from '@/lib/session';
import { postsQuery } from '@/features/forum/api/posts';
import { categoriesQuery, threadQuery } from '@/features/forum/api/threads';
import { readPlace } from '@/features/forum/lib/search';
import { Marks } from '@/features/forum/components/thread-list';
import { ThreadTools } from '@/features/forum/components/thread-tools';
import { ThreadStats, ThreadView } from '@/features/forum/components/thread-view';
import { useView } from '@/features/forum/hooks/use-reading';
import { NotFound } from '../not-found';
import { useTitle } from '../use-title';
import { textLink } from './text-link';

/** Fills the cache from the early reads. */
export const takeReads = (client: QueryClient, id: string, search: FlatSearch) =>
  Promise.all([
    client.ensureQueryData(threadQuery(id)),
    client.ensureQueryData(postsQuery(id, readPlace(search))),
    client.ensureQueryData(categoriesQuery),
  ]);

export function ForumThreadPage() {
  const navigate = useNavigate();
  const { href } = useLocation();
  const session = useSession();
  const { id } = useParams({ from: '/forum/thread/$id' });
  const place = readPlace(useSearch({ from: '/forum/thread/$id' }));
  const thread = useQuery(threadQuery(id));
  const categories = useQuery(categoriesQuery);
  const missing = !thread.data && isMissing(thread.error);
  useTitle(thread.data?.title, {
    text:
      thread.data &&
      `${thread.data.title}: a thread in the forum for affiliate marketers, with ${thread.data.replies} replies.`,
    missing,
  });
  useView(id);
  const toSignIn = () => void navigate({ to: '/login', search: { next: href } });
  const go = (post: string) =>
    void navigate({ to: '/forum/thread/$id', params: { id }, search: { post }, resetScroll: false });
  const category = categories.data?.find((item) => item.id === thread.data?.categoryId);
  const unread = session && thread.data?.unread ? thread.data.lastReadPostId : null;
  if (missing) return <NotFound />;
  return (
    <div className="mx-auto w-full max-w-4xl px-4 py-6 sm:px-6 sm:py-8">
      <nav aria-label="Where this is" className="mb-3 text-[0.8125rem] text-muted">
        <Link to="/forum" className="rounded hover:underline">
          Forum
        </Link>
        {category && (
          <>
            {' / '}
            <Link to="/forum" search={{ category: category.slug }} className="rounded hover:underline">
              {category.name}
            </Link>
          </>
        )}
      </nav>
      {thread.error && !thread.data ? (
        <>
          <h1 className="mb-4 text-2xl font-semibold">Thread</h1>
          <ErrorBox error={thread.error} prefix="Error loading the thread" onRetry={() => void thread.refetch()} />
        </>
      ) : !thread.data ? (
        <Loading label="Loading the thread" />
      ) : (
        <>
          <header className="mb-5 flex flex-col gap-3">
            <h1 className="text-2xl font-semibold break-words">{thread.data.title}</h1>
            <div className="flex flex-wrap items-center justify-between gap-3">
              <p className="flex flex-wrap items-center gap-2 text-[0.8125rem] text-muted">
                <Marks thread={thread.data} />
                <ThreadStats thread={thread.data} />
                {unread && unread !== place.post && (
                  <Link
                    to="/forum/thread/$id"
                    params={{ id }}
                    search={{ post: unread }}
                    resetScroll={false}
                    className={textLink}
                  >
                    Jump to where you left off
                  </Link>
                )}
              </p>
              <ThreadTools
                thread={thread.data}
                categories={categories.data ?? []}
                signedIn={session !== null}
                moderator={session?.user.roles.includes('admin') ?? false}
                onSignIn={toSignIn}
              />
            </div>
          </header>
          <ThreadView
            thread={thread.data}
            place={place}
            onGo={go}
            onGone={() => void navigate({ to: '/forum' })}
            onSignIn={toSignIn}
          />
        </>
      )}
    </div>
  );
}
