import { createRoute, redirect } from '@tanstack/react-router';
import { withRemembered } from '@/lib/remembered-scope';
import { stringifySearch, type FlatSearch } from '@/lib/search';
import { getSession } from '@/lib/session';
import { websitesQuery } from '@/lib/shared-queries';
import { getWebsiteSession } from '@/lib/website-session';
import { root } from './root-route';

/** Pages that require a session. One whose address lacks the website or the range gets the remembered ones. */
export const member = createRoute({
  getParentRoute: () => root,
  id: 'member',
  staticData: { work: true, reads: ['/api/platform/websites', '/api/platform/user'] },
  beforeLoad: ({ location, matches }) => {
    const owner = getSession()?.user.id;
    if (owner !== undefined) {
      const page = matches.at(-1);
      // On a page that stays, what its address lacks was taken out by choice.
      const completed =
        page && page.cause !== 'stay' && withRemembered(owner, page.staticData.scopes ?? [], page.search as FlatSearch);
      if (completed)
        throw redirect({
          href: `${location.pathname}${stringifySearch(completed)}`,
          hash: location.hash,
          replace: true,
        });
      return;
    }
    if (location.pathname === '/admin' && getWebsiteSession()) throw redirect({ to: '/admin/website', replace: true });
    throw redirect({ to: '/login', search: { next: location.href }, replace: true });
  },
  loader: ({ context }) => void context.client.prefetchQuery(websitesQuery),
});
