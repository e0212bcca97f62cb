import { Saved } from '@/features/marketplace/saved';
import { MarketplaceTools } from '@/features/marketplace/sections';
import { Page } from './page';

export const MarketplaceSavedPage = () => (
  <Page title="Saved" subtitle="Searches and listings that you keep an eye on" tools={<MarketplaceTools />}>
    <Saved />
  </Page>
);
