import { MyListings } from '@/features/marketplace/mine';
import { MarketplaceTools } from '@/features/marketplace/sections';
import { Page } from './page';

export const MarketplaceMinePage = () => (
  <Page title="My listings" subtitle="What you sell, and where it stands" tools={<MarketplaceTools />}>
    <MyListings />
  </Page>
);
