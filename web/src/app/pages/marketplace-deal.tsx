import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ErrorBox, Loading } from '@/components/data/states';
import { isMissing } from '@/lib/api/errors';
import { DealPage } from '@/features/marketplace/components/deal-page';
import { dealQuery } from '@/features/marketplace/api/deals';
import { MarketplaceTools } from '@/features/marketplace/components/sections';
import { NotFound } from '../not-found';
import { useTitle } from '../use-title';
import { Page } from './page';

export function MarketplaceDealPage() {
  const { offerId } = useParams({ from: '/member/marketplace/deals/$offerId' });
  const deal = useQuery(dealQuery(offerId));
  useTitle(deal.data?.listingTitle ?? undefined);
  // Non-participants get no information about a deal, including whether it exists.
  if (isMissing(deal.error)) return <NotFound />;
  return (
    <Page title={deal.data?.listingTitle ?? 'Deal'} subtitle="Offer, thread and deal" tools={<MarketplaceTools />}>
      {deal.data ? (
        <>
          {deal.error && (
            <ErrorBox
              className="mb-4"
              error={deal.error}
              prefix="The latest changes could not be loaded"
              onRetry={() => void deal.refetch()}
            />
          )}
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
