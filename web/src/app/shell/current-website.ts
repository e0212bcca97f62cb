import { useQuery } from '@tanstack/react-query';
import { useRouter, useRouterState } from '@tanstack/react-router';
import type { Website } from '@/lib/api/types';
import { rememberedScope, rememberScope } from '@/lib/storage/remembered-scope';
import { textOf, type FlatSearch } from '@/lib/url/search';
import { useSession } from '@/lib/session';
import { websitesQuery } from '@/lib/api/shared-queries';

/** What stays in the address when another website is chosen; filters and open rows belong to the one before. */
const KEPT = ['range', 'from', 'to', 'compare', 'view', 'tab', 'month'];

interface CurrentWebsite {
  /** Undefined while they load. */
  readonly websites: readonly Website[] | undefined;
  readonly website: Website | undefined;
  /** Shows the page of this website; a page without one leads to the overview. */
  readonly choose: (id: string) => void;
}

/** The website that the page shows, else the last chosen one, else the first. */
export function useCurrentWebsite(): CurrentWebsite {
  const router = useRouter();
  const owner = useSession()?.user.id ?? '';
  const websites = useQuery(websitesQuery).data;
  const shown = useRouterState({
    select: ({ matches }) => textOf((matches.at(-1)?.search as FlatSearch | undefined)?.['website']),
  });
  const wanted = shown ?? rememberedScope(owner)['website'];
  return {
    websites,
    website: websites?.find(({ id }) => id === wanted) ?? websites?.[0],
    choose: (id) => {
      rememberScope(owner, 'website', { website: id });
      const page = router.state.matches.at(-1);
      const ofWebsite = page?.staticData.scopes?.includes('website');
      const kept = Object.entries((page?.search ?? {}) as FlatSearch).filter(([name]) => KEPT.includes(name));
      void router.navigate({
        to: (ofWebsite ? page?.pathname : '/dashboard') as '/dashboard',
        search: { ...(ofWebsite ? Object.fromEntries(kept) : {}), website: id },
      });
    },
  };
}
