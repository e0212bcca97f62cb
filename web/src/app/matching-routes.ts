// AI matching and the learning hub: public pages whose functions require a session.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { flat } from '@/lib/url/search';
import { root } from './root-route';

const affiliateMatching = createRoute({
  getParentRoute: () => root,
  path: '/affiliate-matching',
  staticData: {
    title: 'AI Affiliate Matching',
    work: true,
    site: {
      description:
        'Describe a business idea and see which affiliate programs match it, with the details of each score.',
    },
  },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/affiliate-matching'), 'AffiliateMatchingPage'),
});

const learn = createRoute({
  getParentRoute: () => root,
  path: '/learn',
  staticData: {
    title: 'Learning Hub',
    work: true,
    site: { description: 'Guides and articles on affiliate tracking and analytics, organized as courses.' },
  },
  component: lazyRouteComponent(() => import('./pages/learn'), 'LearnPage'),
});

export const matchingRoutes = [affiliateMatching, learn] as const;
