import { Link } from '@tanstack/react-router';
import { Eye, Lock, MessageSquare, MessagesSquare, Pin } from 'lucide-react';
import type { ReactNode } from 'react';
import { More } from '@/components/data/more';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { When } from '@/components/data/when';
import { Badge } from '@/components/ui/badge';
import { surface } from '@/components/ui/card';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { cx } from '@/lib/cx';
import { formatCompact, formatCount } from '@/lib/format';
import { MemberName } from './member-name';
import { threadsQuery } from '../api/threads';
import type { Filter, Sort } from '../lib/search';
import type { Category, Thread } from '../lib/types';

interface Props {
  readonly categories: readonly Category[];
  /** Only these threads; null: all. */
  readonly category: Category | null;
  readonly sort: Sort;
  readonly filter: Filter;
  readonly start: ReactNode;
}

/** Pinned threads come first; the server sorts them. */
export function ThreadList({ categories, category, sort, filter, start }: Props) {
  const query = useCursorQuery(threadsQuery({ categoryId: category?.id ?? null, sort, filter }));
  const rows = query.rows ?? [];
  const names = new Map(categories.map((item) => [item.id, item.name]));
  return (
    <section aria-label={category ? `Threads in ${category.name}` : 'Threads'} className={cx(surface, 'min-w-0')}>
      {query.error ? (
        <ErrorBox error={query.error} prefix="Error loading threads" onRetry={query.retry} className="m-4" />
      ) : query.isPending ? (
        <div role="status" aria-label="Loading threads" className="flex flex-col gap-3 p-4">
          {['a', 'b', 'c', 'd'].map((key) => (
            <Skeleton key={key} className="h-14" />
          ))}
        </div>
      ) : rows.length === 0 ? (
        <Empty icon={<MessagesSquare aria-hidden className="size-5" />} action={start}>
          No threads found. Be the first to start a discussion!
        </Empty>
      ) : (
        <ul className="divide-y divide-line">
          {rows.map((thread) => (
            <Row key={thread.id} thread={thread} category={category ? null : (names.get(thread.categoryId) ?? null)} />
          ))}
        </ul>
      )}
      <More of={query} className="border-t border-line p-3 text-center">
        Show more threads
      </More>
    </section>
  );
}

function Row({ thread, category }: { readonly thread: Thread; readonly category: string | null }) {
  return (
    <li className="relative flex items-start gap-3 px-4 py-3 transition-colors hover:bg-sunken/60 sm:px-5">
      <span
        className={cx(
          'mt-1.5 size-2.5 shrink-0 rounded-full',
          thread.unread ? 'bg-brand' : 'border border-line-strong/60',
        )}
        aria-hidden
      />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            to="/forum/thread/$id"
            params={{ id: thread.id }}
            className={cx(
              'min-w-0 break-words rounded before:absolute before:inset-0 hover:underline',
              thread.unread ? 'font-semibold' : 'font-medium',
            )}
          >
            {thread.title}
            {thread.unread && (
              <>
                {' '}
                <span className="sr-only">(unread)</span>
              </>
            )}
          </Link>
          <Marks thread={thread} />
        </div>
        <p className="relative mt-1 w-fit text-[0.8125rem] text-muted [overflow-wrap:anywhere]">
          <MemberName member={thread.author} /> <When at={thread.createdAt} />
          {category && ` in ${category}`}
          {thread.lastReplyAt && thread.lastReplyBy && (
            <>
              {' · last reply by '}
              <MemberName member={thread.lastReplyBy} /> <When at={thread.lastReplyAt} />
            </>
          )}
        </p>
      </div>
      <div className="flex shrink-0 flex-col items-end gap-1 text-[0.8125rem] text-muted tabular sm:flex-row sm:gap-4">
        <Count Icon={MessageSquare} value={thread.replies} word={thread.replies === 1 ? 'reply' : 'replies'} />
        <Count Icon={Eye} value={thread.views} word={thread.views === 1 ? 'view' : 'views'} />
      </div>
    </li>
  );
}

export function Marks({ thread }: { readonly thread: Pick<Thread, 'isPinned' | 'isLocked' | 'isVisible'> }) {
  return (
    <>
      {thread.isPinned && (
        <Badge tone="brand">
          <Pin aria-hidden className="size-3" />
          Pinned
        </Badge>
      )}
      {thread.isLocked && (
        <Badge>
          <Lock aria-hidden className="size-3" />
          Locked
        </Badge>
      )}
      {!thread.isVisible && <Badge tone="warn">Pending review</Badge>}
    </>
  );
}

function Count({ Icon, value, word }: { readonly Icon: typeof Eye; readonly value: number; readonly word: string }) {
  return (
    <span className="inline-flex items-center gap-1.5" title={`${formatCount(value)} ${word}`}>
      <Icon aria-hidden className="size-3.5" />
      {formatCompact(value)}
      <span className="sr-only">{word}</span>
    </span>
  );
}
