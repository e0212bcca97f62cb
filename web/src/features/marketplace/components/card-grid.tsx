import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import type { Answer } from '@/lib/api/client';
import { ListingCard } from './listing-card';
import type { Listing } from '../lib/types';

interface Props {
  readonly label: string;
  readonly query: UseInfiniteQueryResult<InfiniteData<Answer<Listing[]>>>;
  readonly select?: (rows: readonly Listing[]) => readonly Listing[];
  readonly none: ReactNode;
  readonly footer?: (listing: Listing) => ReactNode;
}

/** Listings as cards, read page by page. */
export function CardGrid({ label, query, select, none, footer }: Props) {
  if (query.error && !query.data)
    return <ErrorBox error={query.error} prefix="Error loading listings" onRetry={() => void query.refetch()} />;
  if (!query.data) return <CardSkeletons />;
  const all = query.data.pages.flatMap((page) => page.data);
  const rows = select ? select(all) : all;
  const waits = rows.length === 0 && query.isPlaceholderData;
  return (
    <div aria-busy={query.isPlaceholderData}>
      {query.error && <ErrorBox className="mb-4" error={query.error} onRetry={() => void query.refetch()} />}
      {waits ? (
        <Skeleton className="h-80" />
      ) : rows.length === 0 ? (
        none
      ) : (
        <ul aria-label={label} className={GRID}>
          {rows.map((listing) => (
            <li key={listing.id} className="grid min-w-0">
              <ListingCard listing={listing} footer={footer?.(listing)} />
            </li>
          ))}
        </ul>
      )}
      {query.hasNextPage && !query.isPlaceholderData && (
        <Button
          className="mx-auto mt-6 flex"
          busy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </div>
  );
}

/** In the place of cards that are not known yet. */
export function CardSkeletons() {
  return (
    <div role="status" aria-label="Loading listings" className={GRID}>
      {Array.from({ length: 6 }, (_, index) => (
        <Skeleton key={index} className="h-80" />
      ))}
    </div>
  );
}

const GRID = 'grid gap-4 sm:grid-cols-2 lg:grid-cols-3';
