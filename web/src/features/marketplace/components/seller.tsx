import { formatIn } from '@/lib/dates';
import { formatCount } from '@/lib/format';
import type { Seller } from '../lib/types';

export const memberSince = (seller: Seller): string =>
  `Member since ${formatIn(seller.memberSince, 'UTC', { month: 'long', year: 'numeric' })}`;

/** A seller's listings for sale, verified and sold. */
export function SellerStats({ seller, className }: { readonly seller: Seller; readonly className: string }) {
  const figures = [
    ['For sale', seller.activeListings],
    ['Verified', seller.verifiedListings],
    ['Sold', seller.soldListings],
  ] as const;
  return (
    <dl className={className}>
      {figures.map(([name, count]) => (
        <div key={name}>
          <dt className="text-muted">{name}</dt>
          <dd className="font-medium tabular">{formatCount(count)}</dd>
        </div>
      ))}
    </dl>
  );
}
