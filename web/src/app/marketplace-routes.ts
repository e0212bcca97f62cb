// The marketplace: public listings; selling and deals for members.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { flat } from '@/lib/url/search';
import { member } from './member-route';
import { root } from './root-route';

const listings = createRoute({
  getParentRoute: () => root,
  path: '/marketplace',
  staticData: {
    title: 'Marketplace',
    work: true,
    site: {
      description: 'Affiliate websites for sale, with numbers calculated from their own tracking data.',
    },
    reads: ['/api/marketplace/listings?limit=24&sort=recent', '/api/marketplace/deal-terms'],
  },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/marketplace'), 'MarketplacePage'),
});

const listing = createRoute({
  getParentRoute: () => root,
  path: '/marketplace/listing/$id',
  staticData: {
    title: 'Listing',
    work: true,
    site: { description: 'An affiliate website for sale: its numbers, what was verified, and its price.' },
    reads: ['/api/marketplace/listings/$id', '/api/marketplace/listings/$id/questions?limit=24'],
  },
  component: lazyRouteComponent(() => import('./pages/marketplace-listing'), 'MarketplaceListingPage'),
});

const seller = createRoute({
  getParentRoute: () => root,
  path: '/marketplace/seller/$id',
  staticData: { title: 'Seller', work: true },
  component: lazyRouteComponent(() => import('./pages/marketplace-seller'), 'MarketplaceSellerPage'),
});

const sell = createRoute({
  getParentRoute: () => member,
  path: '/marketplace/sell',
  staticData: { title: 'Sell Your Website' },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/marketplace-sell'), 'MarketplaceSellPage'),
});

const mine = createRoute({
  getParentRoute: () => member,
  path: '/marketplace/mine',
  staticData: { title: 'My listings' },
  component: lazyRouteComponent(() => import('./pages/marketplace-mine'), 'MarketplaceMinePage'),
});

const deals = createRoute({
  getParentRoute: () => member,
  path: '/marketplace/deals',
  staticData: { title: 'Deals' },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/marketplace-deals'), 'MarketplaceDealsPage'),
});

const deal = createRoute({
  getParentRoute: () => member,
  path: '/marketplace/deals/$offerId',
  staticData: { title: 'Deal' },
  component: lazyRouteComponent(() => import('./pages/marketplace-deal'), 'MarketplaceDealPage'),
});

const review = createRoute({
  getParentRoute: () => member,
  path: '/marketplace/review/$id',
  staticData: { title: 'Review a listing' },
  component: lazyRouteComponent(() => import('./pages/marketplace-review'), 'MarketplaceReviewPage'),
});

const saved = createRoute({
  getParentRoute: () => member,
  path: '/marketplace/saved',
  staticData: { title: 'Saved' },
  component: lazyRouteComponent(() => import('./pages/marketplace-saved'), 'MarketplaceSavedPage'),
});

export const marketplaceRoutes = [listings, listing, seller] as const;
export const marketplaceMemberRoutes = [sell, mine, deals, deal, review, saved] as const;
