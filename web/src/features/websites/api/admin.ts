import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { answer, api, done } from '@/lib/api/client';
import type { OwnedFilter } from '@/lib/owned';

export const ADMIN_WEBSITES = ['admin-websites'] as const;

export const adminWebsitesQuery = ({ search, sort }: OwnedFilter) =>
  infiniteQueryOptions({
    queryKey: [...ADMIN_WEBSITES, search, sort] as const,
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      answer(
        api.GET('/api/admin/websites', {
          params: {
            query: { limit: 50, sort, ...(search ? { search } : {}), ...(pageParam ? { cursor: pageParam } : {}) },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

export const disconnectWebsite = (id: string, reason: string) =>
  done(api.POST('/api/admin/websites/{id}/disconnect', { params: { path: { id } }, body: { reason } }));
