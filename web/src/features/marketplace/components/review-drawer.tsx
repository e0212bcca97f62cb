import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorBox, Loading } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { useSession } from '@/lib/session';
import { ListingBadge } from './badges';
import { ReviewDialog } from './dialogs';
import { Gallery } from './gallery';
import { HistoryList } from './history';
import { listingHistoryQuery, listingQuery } from '../api/listings';
import type { ReviewDecision, ReviewedBy } from '../api/moderation';
import { formatPrice, formatTraffic, formatYears, NICHE_LABELS } from '../lib/format';
import type { ListingInFull } from '../lib/types';
import { VerifiedCard } from './verified-card';

/** One listing in review, with the possible decisions. */
export function ReviewDrawer({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const session = useSession();
  const listing = useQuery(listingQuery(id, session?.user.id));
  return (
    <Dialog
      as="drawer"
      open
      onOpenChange={(open) => !open && onClose()}
      title={listing.data?.title ?? 'Listing'}
      description="As the seller submitted it."
    >
      {listing.data ? (
        <Submitted listing={listing.data} onDone={onClose} />
      ) : listing.error ? (
        <ErrorBox error={listing.error} onRetry={() => void listing.refetch()} />
      ) : (
        <Loading label="Loading listing" />
      )}
    </Dialog>
  );
}

interface SubmittedProps {
  readonly listing: ListingInFull;
  readonly onDone: () => void;
  /** An invited reviewer sees no history, and decides about this review only. */
  readonly by?: ReviewedBy;
}

export function Submitted({ listing, onDone, by = 'admin' }: SubmittedProps) {
  const [doing, setDoing] = useState<ReviewDecision | null>(null);
  const isAdmin = by === 'admin';
  const history = useQuery({ ...listingHistoryQuery(listing.id), enabled: isAdmin });
  const facts = [
    ['Seller', listing.seller.name],
    ['Website', listing.websiteUrl],
    ['Niche', listing.niche ? NICHE_LABELS[listing.niche] : '–'],
    ['Established', formatYears(listing.yearsEstablished)],
    ['Asking price', formatPrice(listing.askingPrice)],
    ['Monthly revenue', formatPrice(listing.monthlyRevenue)],
    ['Monthly profit', formatPrice(listing.monthlyProfit)],
    ['Monthly traffic', formatTraffic(listing.monthlyTraffic)],
  ] as const;
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-center gap-2">
        <ListingBadge status={listing.status} />
        {listing.reason && <span className="text-muted">{listing.reason}</span>}
        <div className="ml-auto flex flex-wrap gap-2">
          {listing.status === 'in_review' && (
            <>
              <Button variant="primary" onClick={() => setDoing('approve')}>
                Approve
              </Button>
              <Button onClick={() => setDoing('reject')}>Reject</Button>
            </>
          )}
          {isAdmin && listing.status === 'active' && <Button onClick={() => setDoing('suspend')}>Suspend</Button>}
          {isAdmin && listing.status === 'suspended' && (
            <Button onClick={() => setDoing('resume')}>Put back online</Button>
          )}
        </div>
      </div>
      <dl className="grid gap-x-4 gap-y-1.5 sm:grid-cols-2">
        {facts.map(([name, value]) => (
          <div key={name} className="grid grid-cols-[8rem_1fr] gap-2">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 font-medium break-words">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="break-words whitespace-pre-wrap">{listing.description}</p>
      {listing.images.length > 0 && <Gallery title={listing.title} images={listing.images} />}
      <VerifiedCard listing={listing} />
      {isAdmin && (
        <section aria-label="History of the listing">
          <h3 className="mb-2 font-semibold">History</h3>
          <HistoryList query={history} />
        </section>
      )}
      {doing && <ReviewDialog listing={listing} doing={doing} by={by} onClose={() => setDoing(null)} onDone={onDone} />}
    </div>
  );
}
