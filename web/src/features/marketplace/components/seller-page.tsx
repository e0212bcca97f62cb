import { useInfiniteQuery } from '@tanstack/react-query';
import { Store } from 'lucide-react';
import { Empty } from '@/components/data/states';
import { surface } from '@/components/ui/card';
import { cx } from '@/lib/cx';
import { CardGrid } from './card-grid';
import { sellerListingsQuery } from './queries';
import { SellerFigures } from './seller';
import type { Seller } from './types';

/** A member as buyers see them: what they sell, and what they have sold. */
export function SellerPage({ seller }: { readonly seller: Seller }) {
  const listings = useInfiniteQuery(sellerListingsQuery(seller.id));
  return (
    <div className="flex flex-col gap-8">
      <section aria-label="In figures" className={cx(surface, 'p-5')}>
        <SellerFigures seller={seller} className="grid max-w-xl grid-cols-3 gap-4" />
        <p className="mt-4 text-[0.8125rem] text-muted">“Verified” listings show traffic and revenue measured here on a domain that the seller has proven, beside what the seller says.</p>
      </section>
      <CardGrid
        label="For sale" query={listings}
        none={
          <div className={cx(surface, 'py-8')}>
            <Empty icon={<Store aria-hidden className="size-5" />}>Nothing of theirs is for sale right now.</Empty>
          </div>
        }
      />
    </div>
  );
}
