import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Empty, ErrorBox, Loading } from '@/components/data/states';
import { buttonClass } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { textOf } from '@/lib/search';
import { useSession } from '@/lib/session';
import { isAtRest, isChangeable } from '@/features/marketplace/draft';
import { listingQuery } from '@/features/marketplace/queries';
import { MarketplaceTools } from '@/features/marketplace/sections';
import { SellEditor } from '@/features/marketplace/sell-editor';
import { SellStart } from '@/features/marketplace/sell-start';
import { stepOf, type StepId } from '@/features/marketplace/sell-steps';
import { LISTING_STATES } from '@/features/marketplace/shown';
import { NotFound } from '../not-found';
import { Page } from './page';

export function MarketplaceSellPage() {
  const search = useSearch({ from: '/member/marketplace/sell' });
  const navigate = useNavigate();
  const id = textOf(search['listing']);
  return (
    <Page title="Sell Your Website" subtitle="From a draft to a listing that everybody sees" tools={<MarketplaceTools />}>
      {id ? <Loaded key={id} id={id} step={stepOf(textOf(search['step']))} /> : <SellStart onStarted={(listing) => void navigate({ to: '/marketplace/sell', search: { listing } })} />}
    </Page>
  );
}

function Loaded({ id, step }: { readonly id: string; readonly step: StepId }) {
  const navigate = useNavigate();
  const session = useSession();
  const client = useQueryClient();
  const query = listingQuery(id, session?.user.id);
  // Submitted in another window, or approved meanwhile: then it is not to be changed as if nobody saw it.
  const listing = useQuery({ ...query, refetchOnWindowFocus: true });
  const [round, setRound] = useState(0);
  if (listing.error && !listing.data) return <ErrorBox error={listing.error} prefix="Error loading the listing" onRetry={() => void listing.refetch()} />;
  // What is shown may be of before: the form begins with what is there now.
  if (!listing.data || (listing.isFetching && !listing.isFetchedAfterMount)) return <Loading label="Loading listing" />;
  if (!listing.data.isMine) return <NotFound />;
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
          {LISTING_STATES[listing.data.status].text} It cannot be changed now.
        </Empty>
      </div>
    );
  }
  return (
    <SellEditor
      key={`${round} ${isAtRest(listing.data.status)}`} listing={listing.data} step={step}
      onStep={(next) => void navigate({ to: '/marketplace/sell', search: { listing: id, step: next }, resetScroll: false })}
      onSubmitted={() => void navigate({ to: '/marketplace/mine' })}
      onReload={() => void client.refetchQueries({ queryKey: query.queryKey }).then(() => setRound(round + 1))}
    />
  );
}
