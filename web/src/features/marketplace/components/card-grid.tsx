import type { ReactNode } from 'react';
import { More } from '@/components/data/more';
import { ErrorBox, Skeleton } from '@/components/data/states';
import type { CursorList } from '@/lib/api/cursor-query';
import { ListingCard } from './listing-card';
import type { Listing } from '../lib/types';

interface Props {
  readonly label: string;
  readonly query: CursorList<Listing>;
  readonly select?: (rows: readonly Listing[]) => readonly Listing[];
  readonly none: ReactNode;
  readonly footer?: (listing: Listing) => ReactNode;
}

/** Listings as cards, read page by page. */
export function CardGrid({ label, query, select, none, footer }: Props) {
  if (query.error) return <ErrorBox error={query.error} prefix="Error loading listings" onRetry={query.retry} />;
  if (!query.rows) return <CardSkeletons />;
  const rows = select ? select(query.rows) : query.rows;
  const waits = rows.length === 0 && query.isPlaceholder;
  return (
    <div aria-busy={query.isPlaceholder}>
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
      <More of={query} className="mt-6 text-center" />
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
