import { Link } from '@tanstack/react-router';
import type { Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import { surface } from '@/components/ui/card';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { cx } from '@/lib/cx';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { EscrowBadge, OfferBadge } from './badges';
import { waitsForMe } from '../lib/deal-steps';
import { PagedTable } from '@/components/data/paged-table';
import { myOffersQuery } from '../api/deals';
import { formatSum } from '../lib/format';
import type { Offer } from '../lib/types';

const COLUMNS: Column<Offer>[] = [
  {
    id: 'listing',
    header: 'Website',
    className: 'min-w-44 [overflow-wrap:anywhere]',
    cell: (row) => (
      <Link to="/marketplace/deals/$offerId" params={{ offerId: row.id }} className="font-medium text-brand underline">
        {row.listingTitle ?? 'Deleted listing'}
      </Link>
    ),
  },
  { id: 'other', header: 'With', cell: (row) => row.otherName, className: 'min-w-28 [overflow-wrap:anywhere]' },
  { id: 'price', header: 'Price', cell: (row) => formatSum(row.price), numeric: true },
  {
    id: 'state',
    header: 'Status',
    cell: (row) => (
      <span className="flex flex-wrap gap-1">
        <OfferBadge status={row.status} />
        {row.escrowStatus && <EscrowBadge status={row.escrowStatus} />}
        {waitsForMe(row) && <Badge tone="brand">Your turn</Badge>}
        {row.isOnHold && <Badge>On hold</Badge>}
      </span>
    ),
  },
  {
    id: 'updated',
    header: 'Last updated',
    cell: (row) => formatZoned(row.updatedAt, browserTimezone()),
    className: 'whitespace-nowrap tabular',
  },
];

const NONE = {
  buyer: 'You have made no offers yet.',
  seller: 'You have no offers yet.',
} as const;

/** Offers that I made, or that were made to me. */
export function Deals({ side }: { readonly side: 'buyer' | 'seller' }) {
  const offers = useCursorQuery(myOffersQuery(side));
  return (
    <div className={cx(surface, 'p-4')}>
      <PagedTable
        caption={side === 'buyer' ? 'Offers sent' : 'Offers received'}
        query={offers}
        columns={COLUMNS}
        rowKey={(row) => row.id}
        none={NONE[side]}
      />
    </div>
  );
}
