import { createRoute, redirect, type StaticDataRouteOption } from '@tanstack/react-router';
import { withRemembered } from '@/lib/storage/remembered-scope';
import { stringifySearch, type FlatSearch } from '@/lib/url/search';
import { getSession } from '@/lib/session';
import { websitesQuery } from '@/lib/api/shared-queries';
import { getWebsiteSession } from '@/lib/session/website-session';
import { DEFAULT_VIEW, OPEN } from '@/features/analytics/lib/open-view';
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
      const completed = page && page.cause !== 'stay' && completedSearch(owner, page);
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

interface EnteredPage {
  readonly search: unknown;
  readonly staticData: Pick<StaticDataRouteOption, 'scopes' | 'ofAll' | 'views'>;
}

/** The address with what is remembered; null if it lacks nothing. */
function completedSearch(owner: string, { search, staticData }: EnteredPage): FlatSearch | null {
  const given = search as FlatSearch;
  const scopes = (staticData.scopes ?? []).filter((scope) => !staticData.ofAll || scope !== 'website');
  const completed = withRemembered(owner, scopes, given);
  const saysNothing = Object.keys(given).every((name) => name === 'website');
  return staticData.views && saysNothing ? { ...(completed ?? given), [OPEN]: DEFAULT_VIEW } : completed;
}
