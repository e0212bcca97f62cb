// Saved queries and pinned charts as entries of the palette, for analysts. They are read with the palette: a person has
// few of them, and the lists are those of the SQL page and the dashboard.
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { pinsQuery, savedQuery } from '@/features/sql/api/queries';
import { NOTHING, searchOf } from '@/features/sql/lib/address';
import { isAnalyst, useSession } from '@/lib/session';
import type { Command } from '@/stores/commands';

export const QUERY_GROUPS = { queries: 'Saved queries', pins: 'Pinned charts' } as const;

/** A list that cannot be read has no entries: its own page says why. */
export function useQueryCommands(): readonly Command[] {
  const router = useRouter();
  const enabled = isAnalyst(useSession()?.user);
  const saved = useQuery({ ...savedQuery, enabled }).data ?? [];
  const pins = useQuery({ ...pinsQuery, enabled }).data ?? [];
  if (!enabled) return [];
  return [
    ...saved.map(({ id, title, isOwn, authorName }) => ({
      id: `query-${id}`,
      title,
      group: QUERY_GROUPS.queries,
      words: `sql query saved ${isOwn ? '' : authorName}`,
      run: () => void router.navigate({ to: '/sql', search: searchOf({ ...NOTHING, query: id }) }),
    })),
    ...pins.flatMap(({ id, title }) =>
      title === null
        ? []
        : [
            {
              id: `pin-${id}`,
              title,
              group: QUERY_GROUPS.pins,
              words: 'sql chart pinned dashboard',
              run: () => void router.navigate({ to: '/dashboard', hash: `pin-${id}` }),
            },
          ],
    ),
  ];
}
