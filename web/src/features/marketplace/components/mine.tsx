import { Link } from '@tanstack/react-router';
import { Store } from 'lucide-react';
import { useState } from 'react';
import { Empty } from '@/components/data/states';
import { Button, buttonClass } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { cx } from '@/lib/cx';
import { Ask } from './action-confirmation';
import { ListingBadge } from './badges';
import { CardGrid } from './card-grid';
import { isChangeable, isWithdrawable } from '../lib/draft';
import { myListingsQuery } from '../api/listings';
import { withdrawListing } from '../api/selling';
import { LISTING_STATES } from '../lib/format';
import type { Listing } from '../lib/types';

export function MyListings() {
  const listings = useCursorQuery(myListingsQuery);
  const [withdrawing, setWithdrawing] = useState<Listing | null>(null);
  return (
    <>
      <CardGrid
        label="My listings"
        query={listings}
        none={
          <div className={cx(surface, 'py-8')}>
            <Empty
              icon={<Store aria-hidden className="size-5" />}
              title="Nothing for sale yet"
              action={
                <Link to="/marketplace/sell" className={buttonClass({ variant: 'primary' })}>
                  Sell Your Website
                </Link>
              }
            >
              A listing starts as a draft that only you can see.
            </Empty>
          </div>
        }
        footer={(listing) => (
          <>
            {
              listing.status !== 'under_offer' && (
                <ListingBadge status={listing.status} />
              ) /* that one the card shows to everybody */
            }
            <span className="min-w-0 flex-1 basis-full text-[0.8125rem] text-muted">
              {LISTING_STATES[listing.status].text}
            </span>
            {isChangeable(listing.status) && (
              <Link
                to="/marketplace/sell"
                search={{ listing: listing.id }}
                className={buttonClass({ size: 'sm' })}
                aria-label={`Edit ${listing.title || 'Untitled'}`}
              >
                Edit
              </Link>
            )}
            {isWithdrawable(listing.status) && (
              <Button
                size="sm"
                aria-label={`Withdraw ${listing.title || 'Untitled'}`}
                onClick={() => setWithdrawing(listing)}
              >
                Withdraw
              </Button>
            )}
          </>
        )}
      />
      {withdrawing && <Withdraw listing={withdrawing} onClose={() => setWithdrawing(null)} />}
    </>
  );
}

function Withdraw({ listing, onClose }: { readonly listing: Listing; readonly onClose: () => void }) {
  const withdraw = useCommand(withdrawListing, { onSuccess: onClose });
  return (
    <Ask
      title="Withdraw this listing?"
      action="Withdraw"
      danger
      doing={withdraw}
      onConfirm={() => withdraw.mutate(listing.id)}
      onClose={onClose}
      description={`“${listing.title || 'Untitled'}” is no longer visible to others. You can submit it again later for a new review.`}
    />
  );
}
