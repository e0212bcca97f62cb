import { MyListings } from '@/features/marketplace/components/mine';
import { MarketplaceTools } from '@/features/marketplace/components/sections';
import { Page } from './page';

export const MarketplaceMinePage = () => (
  <Page title="My listings" subtitle="Your listings and their status" tools={<MarketplaceTools />}>
    <MyListings />
  </Page>
);
