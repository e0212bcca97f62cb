import { Store } from 'lucide-react';
import { Empty } from '@/components/data/states';
import { surface } from '@/components/ui/card';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { cx } from '@/lib/cx';
import { CardGrid } from './card-grid';
import { sellerListingsQuery } from '../api/listings';
import { SellerStats } from './seller';
import type { Seller } from '../lib/types';

/** A member as buyers see them: what they sell, and what they have sold. */
export function SellerPage({ seller }: { readonly seller: Seller }) {
  const listings = useCursorQuery(sellerListingsQuery(seller.id));
  return (
    <div className="flex flex-col gap-8">
      <section aria-label="Statistics" className={cx(surface, 'p-5')}>
        <SellerStats seller={seller} className="grid max-w-xl grid-cols-3 gap-4" />
        <p className="mt-4 text-[0.8125rem] text-muted">
          “Verified” listings show traffic and revenue tracked here on a domain the seller owns, next to the seller’s
          own numbers.
        </p>
      </section>
      <CardGrid
        label="For sale"
        query={listings}
        none={
          <div className={cx(surface, 'py-8')}>
            <Empty icon={<Store aria-hidden className="size-5" />}>This seller has no active listings.</Empty>
          </div>
        }
      />
    </div>
  );
}
