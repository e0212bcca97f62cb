import { infiniteQueryOptions } from '@tanstack/react-query';
import { answer, api } from '@/lib/api/client';

const PAGE = 30;
const at = (cursor: string) => ({ limit: PAGE, ...(cursor ? { cursor } : {}) });

export const queueQuery = infiniteQueryOptions({
  queryKey: ['forum', 'queue'],
  initialPageParam: '',
  queryFn: ({ signal, pageParam }) =>
    answer(api.GET('/api/admin/forum/queue', { params: { query: at(pageParam) }, signal })),
  getNextPageParam: (page) => page.nextCursor,
  staleTime: 0,
});

export const logQuery = infiniteQueryOptions({
  queryKey: ['forum', 'log'],
  initialPageParam: '',
  queryFn: ({ signal, pageParam }) => answer(api.GET('/api/forum/log', { params: { query: at(pageParam) }, signal })),
  getNextPageParam: (page) => page.nextCursor,
  staleTime: 0,
});
