import { createRoute, redirect } from '@tanstack/react-router';
import { getSession } from '@/lib/session';
import { websitesQuery } from '@/lib/shared-queries';
import { getWebsiteSession } from '@/lib/website-session';
import { root } from './root-route';

/** Pages that require a session. */
export const member = createRoute({
  getParentRoute: () => root,
  id: 'member',
  staticData: { reads: ['/api/platform/websites'] },
  beforeLoad: ({ location }) => {
    if (getSession()) return;
    if (location.pathname === '/admin' && getWebsiteSession()) throw redirect({ to: '/admin/website', replace: true });
    throw redirect({ to: '/login', search: { next: location.href }, replace: true });
  },
  loader: ({ context }) => void context.client.prefetchQuery(websitesQuery),
});
