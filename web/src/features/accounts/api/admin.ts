import { infiniteQueryOptions } from '@tanstack/react-query';
import { answer, api } from '@/lib/api/client';

const PAGE = 50;

const at = (cursor: string) => ({ limit: PAGE, ...(cursor ? { cursor } : {}) });

export const accountsQuery = (search: string) =>
  infiniteQueryOptions({
    queryKey: ['admin-accounts', search],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      answer(
        api.GET('/api/admin/accounts', {
          params: { query: { ...at(pageParam), ...(search ? { search } : {}) } },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });
