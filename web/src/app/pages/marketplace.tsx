import { useNavigate, useSearch } from '@tanstack/react-router';
import { Listings } from '@/features/marketplace/components/listings';
import { readState, writeState, type ListingSearch } from '@/features/marketplace/lib/search';
import { MarketplaceTools } from '@/features/marketplace/components/sections';
import { Page } from './page';

export function MarketplacePage() {
  const navigate = useNavigate();
  const state = readState(useSearch({ from: '/marketplace' }));
  const change = (part: Partial<ListingSearch>) =>
    void navigate({
      to: '/marketplace',
      search: writeState({ ...state, ...part }),
      replace: 'search' in part,
      resetScroll: false,
    });
  return (
    <Page title="Marketplace" subtitle="Buy and sell affiliate websites" tools={<MarketplaceTools />}>
      <Listings state={state} onChange={change} />
    </Page>
  );
}
