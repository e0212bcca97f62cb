import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { ErrorBox, Loading } from '@/components/data/states';
import { isMissing } from '@/lib/api/errors';
import { useSession } from '@/lib/session';
import { ShareSection } from '@/features/leads/components/share-section';
import { ListingPage } from '@/features/marketplace/components/listing-page';
import { listingQuery } from '@/features/marketplace/api/listings';
import { NotFound } from '../not-found';
import { useTitle } from '../use-title';
import { Page } from './page';

export function MarketplaceListingPage() {
  const { id } = useParams({ from: '/marketplace/listing/$id' });
  const session = useSession();
  const listing = useQuery(listingQuery(id, session?.user.id));
  const missing = isMissing(listing.error);
  useTitle(listing.data?.title, { text: listing.data?.description, missing });
  if (missing) return <NotFound />;
  return (
    <Page
      title={listing.data ? listing.data.title || 'Untitled' : 'Listing'}
      tools={
        <Link to="/marketplace" className="inline-flex items-center gap-1 text-muted hover:text-text">
          <ChevronLeft aria-hidden className="size-4" />
          Marketplace
        </Link>
      }
    >
      {listing.data ? (
        <ListingPage
          listing={listing.data}
          share={<ShareSection variant="icon" title={listing.data.title} description="A website for sale" />}
        />
      ) : listing.error ? (
        <ErrorBox error={listing.error} prefix="Error loading the listing" onRetry={() => void listing.refetch()} />
      ) : (
        <Loading label="Loading listing" />
      )}
    </Page>
  );
}
