// AI matching and the learning hub: for everybody to see, of use to who is signed in.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import type { FlatSearch } from '@/lib/search';
import { root } from './root-route';

const affiliateMatching = createRoute({
  getParentRoute: () => root,
  path: '/affiliate-matching',
  staticData: { title: 'AI Affiliate Matching', site: { description: 'Describe a business idea and see which affiliate programs suit it, with every part of the score.' } },
  validateSearch: (search: Record<string, unknown>): FlatSearch => search as FlatSearch,
  component: lazyRouteComponent(() => import('./pages/affiliate-matching'), 'AffiliateMatchingPage'),
});

const learn = createRoute({
  getParentRoute: () => root,
  path: '/learn',
  staticData: { title: 'Learning Hub', site: { description: 'Guides and articles on affiliate tracking and figures, ordered as courses.' } },
  component: lazyRouteComponent(() => import('./pages/learn'), 'LearnPage'),
});

export const matchingRoutes = [affiliateMatching, learn] as const;
