import { infiniteQueryOptions, queryOptions, useQueryClient } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';

export const linksQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['links', websiteId] as const,
    queryFn: ({ signal }) => body(api.GET('/api/platform/links', { params: { query: { websiteId } }, signal })),
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
          params: { query: { limit: 50, ...(search ? { search } : {}), ...(linkId ? { linkId } : {}), ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
  });

/** After a change: every list of links is read again. */
export function useLinksChanged(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ['links'] });
}
