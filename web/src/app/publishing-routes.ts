// The website builder, for members.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { flat } from '@/lib/url/search';
import { member } from './member-route';

const sites = createRoute({
  getParentRoute: () => member,
  path: '/builder',
  staticData: { title: 'Website builder', reads: ['/api/platform/sites'] },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/builder'), 'BuilderPage'),
});

const site = createRoute({
  getParentRoute: () => member,
  path: '/builder/$site',
  staticData: { title: 'Site' },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/builder-site'), 'BuilderSitePage'),
});

const page = createRoute({
  getParentRoute: () => member,
  path: '/builder/$site/$page',
  staticData: { title: 'Page' },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/builder-page'), 'BuilderPagePage'),
});

export const publishingRoutes = [sites, site, page] as const;
