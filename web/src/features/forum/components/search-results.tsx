import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { When } from '@/components/data/when';
import { Button } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { cx } from '@/lib/cx';
import { MemberName } from './member-name';
import { searchQuery } from '../api/threads';
import type { Category, Found } from '../lib/types';

interface Props {
  readonly q: string;
  readonly category: Category | null;
}

/** Posts that hold the words, the best first. */
export function SearchResults({ q, category }: Props) {
  const query = useInfiniteQuery(searchQuery(q, category?.id ?? null));
  const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <section aria-label="Found posts" className={cx(surface, 'min-w-0')}>
      {query.error && !query.data ? (
        <ErrorBox
          error={query.error}
          prefix="Error searching the forum"
          onRetry={() => void query.refetch()}
          className="m-4"
        />
      ) : query.isPending ? (
        <div role="status" aria-label="Searching" className="flex flex-col gap-3 p-4">
          <Skeleton className="h-16" />
          <Skeleton className="h-16" />
        </div>
      ) : rows.length === 0 ? (
        <Empty
          icon={<SearchX aria-hidden className="size-5" />}
        >{`Nothing found for “${q}”${category ? ` in ${category.name}` : ''}.`}</Empty>
      ) : (
        <ul className="divide-y divide-line">
          {rows.map((found) => (
            <Row key={found.postId} found={found} />
          ))}
        </ul>
      )}
      {query.hasNextPage && (
        <div className="border-t border-line p-3 text-center">
          <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </section>
  );
}

function Row({ found }: { readonly found: Found }) {
  return (
    <li className="relative px-4 py-3 transition-colors hover:bg-sunken/60 sm:px-5">
      <Link
        to="/forum/thread/$id"
        params={{ id: found.threadId }}
        search={{ post: found.postId }}
        className="rounded font-medium break-words before:absolute before:inset-0 hover:underline"
      >
        {found.title}
      </Link>
      <p className="mt-1 text-muted [overflow-wrap:anywhere]">
        {found.excerpt.map((piece, index) =>
          piece.hit ? (
            <mark key={index} className="rounded bg-warn-soft px-0.5 text-text">
              {piece.text}
            </mark>
          ) : (
            piece.text
          ),
        )}
      </p>
      <p className="relative mt-1 flex w-fit max-w-full items-center gap-1.5 text-[0.8125rem] text-muted">
        <MemberName member={found.author} /> <When at={found.createdAt} />
      </p>
    </li>
  );
}
