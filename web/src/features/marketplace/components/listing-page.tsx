import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Bookmark, BookmarkCheck, ExternalLink, Handshake, Pencil } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button, buttonClass } from '@/components/ui/button';
import { Card, surface } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import { cx } from '@/lib/cx';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { isAdmin, useSession } from '@/lib/session';
import { ListingBadge, VerificationBadge } from './badges';
import { isOffered } from '../lib/draft';
import { Gallery } from './gallery';
import { HistoryList } from './history';
import { dealTermsQuery } from '../api/deal-terms';
import { makeOffer } from '../api/deals';
import { listingHistoryQuery } from '../api/listings';
import { watchListing } from '../api/saved';
import { OfferDialog } from './dialogs';
import { Questions } from './questions';
import { memberSince, SellerStats } from './seller';
import { formatPrice, formatTraffic, formatYears, LISTING_STATES, NICHE_LABELS } from '../lib/format';
import type { ListingInFull, OfferInFull, Seller } from '../lib/types';
import { TermsNote } from './terms-note';
import { VerifiedCard } from './verified-card';

const InviteReviewer = lazy(() => import('./invite-reviewer').then((module) => ({ default: module.InviteReviewer })));

interface Props {
  readonly listing: ListingInFull;
  /** The buttons that share the page: another feature's. */
  readonly share: ReactNode;
}

/** A website for sale, whole. */
export function ListingPage({ listing, share }: Props) {
  const session = useSession();
  const isPublic = ['active', 'under_offer', 'in_escrow', 'sold'].includes(listing.status);
  return (
    <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem] lg:grid-rows-[auto_1fr]">
      <div className="flex min-w-0 flex-col gap-6">
        {listing.status !== 'active' && <StateNote listing={listing} />}
        {listing.isMine && listing.status === 'in_review' && isAdmin(session?.user) && (
          <Suspense>
            <InviteReviewer listing={listing} />
          </Suspense>
        )}
        <Gallery title={listing.title} images={listing.images} />
      </div>
      {/* A side column on wide screens; on a phone the price comes before the long texts. */}
      <aside
        aria-label="Price and seller"
        className="flex flex-col gap-4 lg:sticky lg:top-20 lg:col-start-2 lg:row-span-2 lg:row-start-1"
      >
        <Buy listing={listing} />
        <SellerCard seller={listing.seller} />
        {isPublic && share}
      </aside>
      <div className="flex min-w-0 flex-col gap-6">
        <Card title="About this website">
          <div className="mb-3 flex flex-wrap gap-1.5">
            {listing.niche && <Badge tone="brand">{NICHE_LABELS[listing.niche]}</Badge>}
            <VerificationBadge status={listing.verificationStatus} />
          </div>
          <p className="break-words whitespace-pre-wrap">{listing.description || 'No description yet.'}</p>
          <WebsiteAddress url={listing.websiteUrl} />
        </Card>
        <VerifiedCard listing={listing} />
        {isPublic && <Questions listing={listing} />}
        {listing.isMine && <History id={listing.id} />}
      </div>
    </div>
  );
}

function StateNote({ listing }: { readonly listing: ListingInFull }) {
  const { text } = LISTING_STATES[listing.status];
  return (
    <div role="note" className={cx(surface, 'flex flex-wrap items-center gap-x-3 gap-y-1 p-4')}>
      <ListingBadge status={listing.status} />
      <p className="min-w-0 flex-1 break-words">{listing.reason ? `${text} Reason: ${listing.reason}` : text}</p>
    </div>
  );
}

/** A seller's URL is a link only for http(s), without a referrer. */
function WebsiteAddress({ url }: { readonly url: string }) {
  if (!/^https?:\/\//i.test(url)) return null;
  return (
    <a
      href={url}
      target="_blank"
      rel="nofollow ugc noopener noreferrer"
      className="mt-4 inline-flex max-w-full items-center gap-1.5 text-brand underline"
    >
      <span className="truncate">{url}</span>
      <ExternalLink aria-hidden className="size-3.5 shrink-0" />
      <span className="sr-only">(opens in a new tab)</span>
    </a>
  );
}

function Buy({ listing }: { readonly listing: ListingInFull }) {
  const zone = browserTimezone();
  const figures = [
    ['Revenue', listing.monthlyRevenue === null ? formatPrice(null) : `${formatPrice(listing.monthlyRevenue)}/mo`],
    ['Profit', listing.monthlyProfit === null ? formatPrice(null) : `${formatPrice(listing.monthlyProfit)}/mo`],
    ['Traffic', listing.monthlyTraffic === null ? formatTraffic(null) : `${formatTraffic(listing.monthlyTraffic)}/mo`],
    ['Established', formatYears(listing.yearsEstablished)],
    ['Price to yearly profit', multipleOf(listing)],
  ] as const;
  return (
    <section aria-label="Price" className={cx(surface, 'p-5')}>
      <p className="text-[0.8125rem] text-muted">Asking price</p>
      <p className="text-3xl font-semibold tabular">{formatPrice(listing.askingPrice)}</p>
      <dl className="mt-4 flex flex-col gap-1.5">
        {figures.map(([name, value]) => (
          <div key={name} className="flex items-baseline justify-between gap-3">
            <dt className="text-muted">{name}</dt>
            <dd className="font-medium tabular">{value}</dd>
          </div>
        ))}
      </dl>
      <div className="mt-5 flex flex-col gap-2">
        <Actions listing={listing} />
      </div>
      {listing.publishedAt && (
        <p className="mt-4 text-[0.8125rem] text-muted">
          {`Listed ${formatZoned(listing.publishedAt, zone)}`}
          {listing.expiresAt && listing.status === 'active' && `, until ${formatZoned(listing.expiresAt, zone)}`}
        </p>
      )}
    </section>
  );
}

/** How many years of profit the price is. */
function multipleOf({ askingPrice, monthlyProfit }: ListingInFull): string {
  return askingPrice === null || monthlyProfit === null || monthlyProfit <= 0
    ? '–'
    : `${(askingPrice / (monthlyProfit * 12)).toFixed(1)}×`;
}

function Actions({ listing }: { readonly listing: ListingInFull }) {
  const session = useSession();
  if (!session) {
    return (
      <Link
        to="/login"
        search={{ next: `/marketplace/listing/${listing.id}` }}
        className={buttonClass({ variant: 'primary', size: 'lg' })}
      >
        Sign in to make an offer
      </Link>
    );
  }
  if (listing.isMine) {
    return (
      <Link to="/marketplace/sell" search={{ listing: listing.id }} className={buttonClass({ size: 'lg' })}>
        <Pencil aria-hidden className="size-4" />
        Edit
      </Link>
    );
  }
  return (
    <>
      {listing.myOffer ? (
        <Link
          to="/marketplace/deals/$offerId"
          params={{ offerId: listing.myOffer }}
          className={buttonClass({ variant: 'primary', size: 'lg' })}
        >
          <Handshake aria-hidden className="size-4" />
          Your offer
        </Link>
      ) : (
        listing.status === 'active' && <MakeOffer listing={listing} />
      )}
      {(listing.isWatched || isOffered(listing.status)) && <WatchButton listing={listing} />}
    </>
  );
}

function MakeOffer({ listing }: { readonly listing: ListingInFull }) {
  const [open, setOpen] = useState(false);
  const terms = useQuery(dealTermsQuery);
  const navigate = useNavigate();
  const offer = useCommand(makeOffer(listing.id), {
    onSuccess: async ({ id }) => {
      await navigate({ to: '/marketplace/deals/$offerId', params: { offerId: id } });
      setOpen(false);
    },
  });
  return (
    <>
      <Button variant="primary" size="lg" onClick={() => setOpen(true)}>
        <Handshake aria-hidden className="size-4" />
        Make an offer
      </Button>
      {open && (
        <OfferDialog
          title="Make an offer"
          action="Send offer"
          suggested={listing.askingPrice}
          sending={offer}
          onClose={() => setOpen(false)}
          description={`For “${listing.title}”. ${whatFollows(terms.data?.escrowKind)} Until then you can withdraw the offer.`}
          note={<TermsNote />}
        />
      )}
    </>
  );
}

const whatFollows = (kind: OfferInFull['escrowKind'] | undefined): string =>
  kind === 'real' || kind === 'trial'
    ? 'If the seller accepts, you agree to buy at this price and pay into escrow.'
    : 'If the seller accepts, you agree to buy at this price.';

export function WatchButton({ listing }: { readonly listing: Pick<ListingInFull, 'id' | 'isWatched'> }) {
  const watch = useCommand(watchListing(listing.id));
  const Icon = listing.isWatched ? BookmarkCheck : Bookmark;
  return (
    <Button
      size="lg"
      aria-pressed={listing.isWatched}
      busy={watch.isPending}
      onClick={() => watch.mutate(!listing.isWatched)}
    >
      <Icon aria-hidden className="size-4" />
      {listing.isWatched ? 'Watching' : 'Watch'}
    </Button>
  );
}

function SellerCard({ seller }: { readonly seller: Seller }) {
  return (
    <section aria-label="Seller" className={cx(surface, 'p-5')}>
      <p className="text-[0.8125rem] text-muted">Seller</p>
      <p className="text-base font-semibold break-words">
        <Link to="/marketplace/seller/$id" params={{ id: seller.id }} className="text-brand underline">
          {seller.name}
        </Link>
      </p>
      <p className="mt-1 text-[0.8125rem] text-muted">{memberSince(seller)}</p>
      <SellerStats seller={seller} className="mt-3 grid grid-cols-3 gap-3 text-[0.8125rem]" />
    </section>
  );
}

function History({ id }: { readonly id: string }) {
  const history = useQuery(listingHistoryQuery(id));
  return (
    <Card title="History" description="Visible only to you and admins.">
      <HistoryList query={history} />
    </Card>
  );
}
