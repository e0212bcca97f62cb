import { opened } from '@/components/data/opened';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { Empty, ErrorBox, Loading } from '@/components/data/states';
import { buttonClass } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { isMissing } from '@/lib/api/errors';
import { textOf } from '@/lib/url/search';
import { useSession } from '@/lib/session';
import { isAtRest, isChangeable } from '@/features/marketplace/lib/draft';
import { listingQuery } from '@/features/marketplace/api/listings';
import { MarketplaceTools } from '@/features/marketplace/components/sections';
import { SellEditor } from '@/features/marketplace/components/sell-editor';
import { TermsNote } from '@/features/marketplace/components/terms-note';
import { stepOf, type StepId } from '@/features/marketplace/lib/sell-steps';
import { LISTING_STATES } from '@/features/marketplace/lib/format';
import { NotFound } from '../not-found';
import { Page } from './page';

const SellStart = opened(() =>
  import('@/features/marketplace/components/sell-start').then((module) => module.SellStart),
);

export function MarketplaceSellPage() {
  const search = useSearch({ from: '/member/marketplace/sell' });
  const navigate = useNavigate();
  const id = textOf(search['listing']);
  if (id) return <OfListing key={id} id={id} step={stepOf(textOf(search['step']))} />;
  return (
    <SellPage>
      <SellStart onStarted={(listing) => void navigate({ to: '/marketplace/sell', search: { listing } })} />
    </SellPage>
  );
}

function SellPage({ children }: { readonly children: ReactNode }) {
  return (
    <Page title="Sell Your Website" subtitle="Create, preview and submit a listing" tools={<MarketplaceTools />}>
      <TermsNote className="mb-5 max-w-2xl" />
      {children}
    </Page>
  );
}

interface OfListingProps {
  readonly id: string;
  readonly step: StepId;
}

function OfListing({ id, step }: OfListingProps) {
  const session = useSession();
  const listing = useQuery(listingQuery(id, session?.user.id));
  if (listing.data ? !listing.data.isMine : isMissing(listing.error)) return <NotFound />;
  return (
    <SellPage>
      <Loaded id={id} step={step} />
    </SellPage>
  );
}

function Loaded({ id, step }: OfListingProps) {
  const navigate = useNavigate();
  const session = useSession();
  const client = useQueryClient();
  const query = listingQuery(id, session?.user.id);
  // It may have been submitted or approved in another window; then it is no longer freely editable.
  const listing = useQuery({ ...query, refetchOnWindowFocus: true });
  const [round, setRound] = useState(0);
  if (listing.error && !listing.data)
    return <ErrorBox error={listing.error} prefix="Error loading the listing" onRetry={() => void listing.refetch()} />;
  // The cache may be stale: the form starts with current data.
  if (!listing.data || (listing.isFetching && !listing.isFetchedAfterMount)) return <Loading label="Loading listing" />;
  if (!isChangeable(listing.data.status)) {
    return (
      <div className={surface}>
        <Empty
          title={LISTING_STATES[listing.data.status].label}
          action={
            <Link to="/marketplace/listing/$id" params={{ id }} className={buttonClass()}>
              See the listing
            </Link>
          }
        >
          {LISTING_STATES[listing.data.status].text} It cannot be changed in its current state.
        </Empty>
      </div>
    );
  }
  return (
    <SellEditor
      key={`${round} ${isAtRest(listing.data.status)}`}
      listing={listing.data}
      step={step}
      onStep={(next) =>
        void navigate({ to: '/marketplace/sell', search: { listing: id, step: next }, resetScroll: false })
      }
      onSubmitted={() => void navigate({ to: '/marketplace/mine' })}
      onReload={() => void client.refetchQueries({ queryKey: query.queryKey }).then(() => setRound(round + 1))}
    />
  );
}
