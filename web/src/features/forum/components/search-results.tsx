import { Link } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { More } from '@/components/data/more';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { When } from '@/components/data/when';
import { surface } from '@/components/ui/card';
import { useCursorQuery } from '@/lib/api/cursor-query';
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
  const query = useCursorQuery(searchQuery(q, category?.id ?? null));
  const rows = query.rows ?? [];
  return (
    <section aria-label="Found posts" className={cx(surface, 'min-w-0')}>
      {query.error ? (
        <ErrorBox error={query.error} prefix="Error searching the forum" onRetry={query.retry} className="m-4" />
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
      <More of={query} className="border-t border-line p-3 text-center" />
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
