import { Saved } from '@/features/marketplace/components/saved';
import { MarketplaceTools } from '@/features/marketplace/components/sections';
import { Page } from './page';

export const MarketplaceSavedPage = () => (
  <Page title="Saved" subtitle="Your saved searches and watched listings" tools={<MarketplaceTools />}>
    <Saved />
  </Page>
);
