// Remembers the website and the range of the page that is shown (lib/remembered-scope.ts). The route of a page names
// what of it the page shows; the route of all member pages fills it in again (member-route.ts).
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { namesDays, rememberScope } from '@/lib/storage/remembered-scope';
import { textOf, type FlatSearch } from '@/lib/url/search';
import { getSession } from '@/lib/session';
import { websitesQuery } from '@/lib/api/shared-queries';

export function ScopeWatch() {
  const router = useRouter();
  const websites = useQuery({ ...websitesQuery, enabled: false }).data;
  useEffect(() => {
    const take = (entered: boolean) => {
      const owner = getSession()?.user.id;
      const page = router.state.matches.at(-1);
      const scopes = page?.staticData.scopes;
      if (owner === undefined || !page || !scopes) return;
      const search = page.search as FlatSearch;
      const wanted = textOf(search['website']);
      if (scopes.includes('website') && websites && wanted)
        rememberScope(owner, 'website', websites.some(({ id }) => id === wanted) ? search : {});
      if (scopes.includes('range') && !(entered && namesDays(search))) rememberScope(owner, 'range', search);
    };
    take(true);
    return router.subscribe('onResolved', ({ fromLocation, pathChanged }) => take(!fromLocation || pathChanged));
  }, [router, websites]);
  return null;
}
