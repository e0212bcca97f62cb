import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ErrorBox, Loading } from '@/components/data/states';
import { Tabs } from '@/components/ui/tabs';
import { ApiError } from '@/lib/api/errors';
import { textOf } from '@/lib/search';
import { DealPage } from '@/features/marketplace/deal-page';
import { Deals } from '@/features/marketplace/deals';
import { dealQuery } from '@/features/marketplace/queries';
import { MarketplaceTools } from '@/features/marketplace/sections';
import { NotFound } from '../not-found';
import { useTitle } from '../use-title';
import { Page } from './page';

export function MarketplaceDealsPage() {
  const navigate = useNavigate();
  const side = textOf(useSearch({ from: '/member/marketplace/deals' })['side']) === 'seller' ? 'seller' : 'buyer';
  return (
    <Page title="Deals" subtitle="Offers, and what comes of them" tools={<MarketplaceTools />}>
      <Tabs
        label="Deals" value={side} onChange={(id) => void navigate({ to: '/marketplace/deals', search: id === 'seller' ? { side: id } : {}, resetScroll: false })}
        tabs={[
          { id: 'buyer', label: 'Buying', content: <Deals side="buyer" /> },
          { id: 'seller', label: 'Selling', content: <Deals side="seller" /> },
        ]}
      />
    </Page>
  );
}

export function MarketplaceDealPage() {
  const { offerId } = useParams({ from: '/member/marketplace/deals/$offerId' });
  const deal = useQuery(dealQuery(offerId));
  useTitle(deal.data?.listingTitle ?? undefined);
  // Of who is no part of it a deal says nothing, not even that it is there.
  if (deal.error instanceof ApiError && [404, 422].includes(deal.error.status)) return <NotFound />;
  return (
    <Page title={deal.data?.listingTitle ?? 'Deal'} subtitle="Offer and escrow" tools={<MarketplaceTools />}>
      {deal.data ? (
        <>
          {deal.error && <ErrorBox className="mb-4" error={deal.error} prefix="What is new could not be read" onRetry={() => void deal.refetch()} />}
          <DealPage key={offerId} deal={deal.data} />
        </>
      ) : deal.error ? (
        <ErrorBox error={deal.error} prefix="Error loading the deal" onRetry={() => void deal.refetch()} />
      ) : (
        <Loading label="Loading deal" />
      )}
    </Page>
  );
}
