import { lazy, Suspense, useDeferredValue } from 'react';
import { Button } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import { SearchField } from '@/components/ui/search-field';
import { PagedTable } from '@/components/data/paged-table';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { reviewQuery } from '../api/moderation';
import { formatPrice, formatTraffic, LISTING_STATES, NICHE_LABELS } from '../lib/format';
import type { Listing, ListingStatus } from '../lib/types';

const ReviewDrawer = lazy(() => import('./review-drawer').then((module) => ({ default: module.ReviewDrawer })));

const STATUSES = Object.keys(LISTING_STATES).filter((status) => status !== 'draft') as readonly ListingStatus[];

interface Props {
  readonly status: ListingStatus;
  readonly search: string;
  readonly open: string | null;
  readonly onChange: (part: {
    readonly status?: ListingStatus;
    readonly search?: string;
    readonly open?: string | null;
  }) => void;
}

export const statusOf = (text: string | undefined): ListingStatus =>
  STATUSES.find((status) => status === text) ?? 'in_review';

/** Listings by state, those in review first. */
export function Review({ status, search, open, onChange }: Props) {
  const words = useDeferredValue(search.trim());
  const listings = useCursorQuery(reviewQuery(status, words));
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-2">
        <SearchField label="Search listings" value={search} onChange={(text) => onChange({ search: text })} />
        <Select
          label="Status"
          value={status}
          onChange={(event) => onChange({ status: statusOf(event.target.value), open: null })}
        >
          {STATUSES.map((item) => (
            <option key={item} value={item}>
              {LISTING_STATES[item].label}
            </option>
          ))}
        </Select>
      </div>
      <PagedTable
        caption="Listings"
        query={listings}
        rowKey={(row: Listing) => row.id}
        none={
          words
            ? 'No listings match.'
            : status === 'in_review'
              ? 'No listings to review.'
              : 'No listings with this status.'
        }
        columns={[
          { id: 'title', header: 'Listing', className: 'min-w-44 [overflow-wrap:anywhere]', cell: (row) => row.title },
          { id: 'niche', header: 'Niche', cell: (row) => (row.niche ? NICHE_LABELS[row.niche] : '–') },
          { id: 'price', header: 'Price', cell: (row) => formatPrice(row.askingPrice), numeric: true },
          { id: 'revenue', header: 'Revenue', cell: (row) => formatPrice(row.monthlyRevenue), numeric: true },
          { id: 'traffic', header: 'Traffic', cell: (row) => formatTraffic(row.monthlyTraffic), numeric: true },
          {
            id: 'actions',
            header: <span className="sr-only">Actions</span>,
            cell: (row) => (
              <Button
                size="sm"
                aria-label={`${verb(row.status)} ${row.title}`}
                onClick={() => onChange({ open: row.id })}
              >
                {verb(row.status)}
              </Button>
            ),
          },
        ]}
      />
      {open && (
        <Suspense>
          <ReviewDrawer key={open} id={open} onClose={() => onChange({ open: null })} />
        </Suspense>
      )}
    </>
  );
}

/** The action for a listing: "Review" for those in review. */
const verb = (status: string): string => (status === 'in_review' ? 'Review' : 'View');
