import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import { FRESH, KEY } from './request';

export const watchesQuery = infiniteQueryOptions({
  queryKey: [KEY, 'watches'] as const,
  queryFn: ({ signal }) => answer(api.GET('/api/marketplace/my/watches', { signal })),
  initialPageParam: '',
  getNextPageParam: (page) => page.nextCursor,
  ...FRESH,
});

export const savedSearchesQuery = queryOptions({
  queryKey: [KEY, 'saved-searches'] as const,
  queryFn: ({ signal }) => body(api.GET('/api/marketplace/my/saved-searches', { signal })),
  ...FRESH,
});
