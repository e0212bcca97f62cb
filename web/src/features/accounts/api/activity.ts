import { infiniteQueryOptions } from '@tanstack/react-query';
import { answer, api } from '@/lib/api/client';

export const activityQuery = infiniteQueryOptions({
  queryKey: ['activity'],
  queryFn: ({ signal, pageParam }) =>
    answer(
      api.GET('/api/platform/user/activity', {
        params: { query: { limit: 10, ...(pageParam ? { cursor: pageParam } : {}) } },
        signal,
      }),
    ),
  initialPageParam: '',
  getNextPageParam: (page) => page.nextCursor,
  staleTime: 0,
});
