import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';

const REFRESH_MS = 30_000;

const RECENT = 10;

export const totalsQuery = queryOptions({
  queryKey: ['admin', 'analytics'],
  queryFn: ({ signal }) => body(api.GET('/api/admin/analytics', { signal })),
  refetchInterval: REFRESH_MS,
});

export const activityQuery = queryOptions({
  queryKey: ['admin', 'recent-activity'],
  queryFn: ({ signal }) =>
    body(api.GET('/api/admin/recent-activity', { params: { query: { limit: RECENT } }, signal })),
  refetchInterval: REFRESH_MS,
});
