import { infiniteQueryOptions } from '@tanstack/react-query';
import { answer, api } from '@/lib/api/client';

/** A page reads it once, each visit again. */
const VISIT_MS = 5_000;

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
  staleTime: VISIT_MS,
});
