import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { Button, buttonClass } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { isModerator, useSession } from '@/lib/session';
import { CategoryCards } from '@/features/forum/components/category-cards';
import { ForumSearch } from '@/features/forum/components/forum-search';
import { SearchResults } from '@/features/forum/components/search-results';
import { categoriesQuery, markAllRead } from '@/features/forum/api/threads';
import {
  FILTERS,
  readForum,
  SORTS,
  writeForum,
  written,
  type Filter,
  type ForumState,
  type Sort,
} from '@/features/forum/lib/search';
import { ThreadList } from '@/features/forum/components/thread-list';
import { Page } from './page';

const SORT_LABELS: Record<Sort, string> = {
  latest: 'Latest reply',
  newest: 'Newest',
  replies: 'Most replies',
  views: 'Most views',
};
const FILTER_LABELS: Record<Filter, string> = {
  all: 'All threads',
  unread: 'Unread',
  following: 'Followed',
  mine: 'My threads',
};

export function ForumPage() {
  const navigate = useNavigate();
  const session = useSession();
  const state = readForum(useSearch({ from: '/forum' }));
  const categories = useQuery(categoriesQuery);
  const markRead = useCommand(markAllRead);
  const category = categories.data?.find((item) => item.slug === state.category) ?? null;
  const change = (part: Partial<ForumState>) =>
    void navigate({ to: '/forum', search: writeForum({ ...state, ...part }), resetScroll: false });
  const start = (
    <Link
      to="/forum/new"
      search={written({ category: state.category })}
      className={buttonClass({ variant: 'primary' })}
    >
      <Plus aria-hidden className="size-4" />
      Start New Thread
    </Link>
  );
  return (
    <Page title="Forum" subtitle="Questions, experiments and results of affiliate marketers" tools={start}>
      {categories.error && !categories.data ? (
        <ErrorBox
          error={categories.error}
          prefix="Error loading categories"
          onRetry={() => void categories.refetch()}
        />
      ) : !categories.data ? (
        <div role="status" aria-label="Loading categories" className="grid grid-cols-2 gap-2 sm:gap-3 lg:grid-cols-3">
          {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
            <Skeleton key={key} className="h-24 sm:h-32" />
          ))}
        </div>
      ) : (
        <div className="flex flex-col gap-6">
          <CategoryCards categories={categories.data} state={state} />
          <div className="flex flex-wrap items-center justify-between gap-3">
            <ForumSearch key={state.q ?? ''} q={state.q} onSearch={(q) => change({ q })} />
            <div className="flex flex-wrap items-center gap-2">
              {!state.q && session && (
                <Select
                  label="Threads"
                  value={state.filter}
                  onChange={(event) => change({ filter: FILTERS.find((item) => item === event.target.value) ?? 'all' })}
                >
                  {FILTERS.map((item) => (
                    <option key={item} value={item}>
                      {FILTER_LABELS[item]}
                    </option>
                  ))}
                </Select>
              )}
              {!state.q && (
                <Select
                  label="Order"
                  value={state.sort}
                  onChange={(event) => change({ sort: SORTS.find((item) => item === event.target.value) ?? 'latest' })}
                >
                  {SORTS.map((item) => (
                    <option key={item} value={item}>
                      {SORT_LABELS[item]}
                    </option>
                  ))}
                </Select>
              )}
              {session && (
                <Button variant="ghost" busy={markRead.isPending} onClick={() => markRead.mutate()}>
                  Mark all as read
                </Button>
              )}
              {isModerator(session?.user) && (
                <Link to="/forum/moderation" className={buttonClass({ variant: 'ghost' })}>
                  Moderation
                </Link>
              )}
              <Link to="/forum/log" className={buttonClass({ variant: 'ghost' })}>
                Moderation log
              </Link>
            </div>
          </div>
          {state.q ? (
            <SearchResults q={state.q} category={category} />
          ) : (
            <ThreadList
              categories={categories.data}
              category={category}
              sort={state.sort}
              filter={session ? state.filter : 'all'}
              start={start}
            />
          )}
        </div>
      )}
    </Page>
  );
}
