import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { answer, api, done } from '@/lib/api/client';
import type { OwnedFilter } from '@/lib/owned';

export const ADMIN_DOMAINS = ['admin-domains'] as const;

export const adminDomainsQuery = ({ search, sort }: OwnedFilter) =>
  infiniteQueryOptions({
    queryKey: [...ADMIN_DOMAINS, search, sort] as const,
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      answer(
        api.GET('/api/admin/domains', {
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

export const removeDomain = (id: string, reason: string) =>
  done(api.POST('/api/admin/domains/{id}/remove', { params: { path: { id } }, body: { reason } }));
