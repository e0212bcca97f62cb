import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ErrorBox, Loading } from '@/components/data/states';
import { isMissing } from '@/lib/api/errors';
import { sellerQuery } from '@/features/marketplace/api/listings';
import { MarketplaceTools } from '@/features/marketplace/components/sections';
import { memberSince } from '@/features/marketplace/components/seller';
import { SellerPage } from '@/features/marketplace/components/seller-page';
import { NotFound } from '../not-found';
import { useTitle } from '../use-title';
import { Page } from './page';

export function MarketplaceSellerPage() {
  const { id } = useParams({ from: '/marketplace/seller/$id' });
  const seller = useQuery(sellerQuery(id));
  const missing = isMissing(seller.error);
  useTitle(seller.data?.name, {
    text: seller.data && `What ${seller.data.name} sells in the marketplace, and which listings have verified numbers.`,
    missing,
  });
  if (missing) return <NotFound />;
  return (
    <Page
      title={seller.data?.name ?? 'Seller'}
      {...(seller.data ? { subtitle: memberSince(seller.data) } : {})}
      tools={<MarketplaceTools />}
    >
      {seller.data ? (
        <SellerPage key={id} seller={seller.data} />
      ) : seller.error ? (
        <ErrorBox error={seller.error} prefix="Error loading the seller" onRetry={() => void seller.refetch()} />
      ) : (
        <Loading label="Loading the seller" />
      )}
    </Page>
  );
}
