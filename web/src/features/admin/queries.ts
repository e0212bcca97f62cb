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
  queryFn: ({ signal }) => body(api.GET('/api/admin/recent-activity', { params: { query: { limit: RECENT } }, signal })),
  refetchInterval: REFRESH_MS,
});

export const adminPartnersQuery = queryOptions({
  queryKey: ['admin', 'partners'],
  queryFn: ({ signal }) => body(api.GET('/api/admin/partners', { signal })),
});

export const termsHistoryQuery = (id: string) =>
  queryOptions({
    queryKey: ['admin', 'partners', id, 'terms'] as const,
    queryFn: ({ signal }) => body(api.GET('/api/admin/partners/{id}/terms', { params: { path: { id } }, signal })),
  });
