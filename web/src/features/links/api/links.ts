import { infiniteQueryOptions, keepPreviousData, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '@/lib/api/client';

/** The links of a website, newest first, as many as a page may hold. */
export const linksQuery = (websiteId: string) =>
  infiniteQueryOptions({
    queryKey: ['links', websiteId] as const,
    queryFn: ({ pageParam, signal }) =>
      answer(
        api.GET('/api/platform/links', {
          params: { query: { websiteId, limit: 200, ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
  });

export interface AllLinksFilter {
  readonly search: string;
  readonly linkId: string | undefined;
}

export const allLinksQuery = ({ search, linkId }: AllLinksFilter) =>
  infiniteQueryOptions({
    queryKey: ['links', 'all', { search, linkId }] as const,
    queryFn: ({ pageParam, signal }) =>
      answer(
        api.GET('/api/admin/links', {
          params: {
            query: {
              limit: 50,
              ...(search ? { search } : {}),
              ...(linkId ? { linkId } : {}),
              ...(pageParam ? { cursor: pageParam } : {}),
            },
          },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    // Previous results stay during a new search.
    placeholderData: keepPreviousData,
  });

/** After a change: every list of links is read again. */
export function useLinksChanged(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ['links'] });
}
