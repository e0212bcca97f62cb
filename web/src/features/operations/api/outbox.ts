import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';

const PAGE = 50;

const at = (cursor: string) => ({ limit: PAGE, ...(cursor ? { cursor } : {}) });

export const outboxQuery = infiniteQueryOptions({
  queryKey: ['outbox'],
  initialPageParam: '',
  queryFn: ({ signal, pageParam }) =>
    answer(api.GET('/api/admin/outbox', { params: { query: at(pageParam) }, signal })),
  getNextPageParam: (page) => page.nextCursor,
  staleTime: 0,
});

export const letterQuery = (id: string) =>
  queryOptions({
    queryKey: ['outbox-mail', id],
    queryFn: ({ signal }) => body(api.GET('/api/admin/outbox/{id}', { params: { path: { id } }, signal })),
    staleTime: 0,
    gcTime: 0,
  });
