import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';

export type PlatformTotals = components['schemas']['AdminAnalytics'];

const REFRESH_MS = 30_000;

const RECENT = 10;

/** Revenue in this currency; null: in that of all websites. */
export const totalsQuery = (currency: string | null) =>
  queryOptions({
    queryKey: ['admin', 'analytics', currency],
    queryFn: ({ signal }) =>
      body(api.GET('/api/admin/analytics', { params: { query: currency ? { currency } : {} }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const activityQuery = queryOptions({
  queryKey: ['admin', 'recent-activity'],
  queryFn: ({ signal }) =>
    body(api.GET('/api/admin/recent-activity', { params: { query: { limit: RECENT } }, signal })),
  refetchInterval: REFRESH_MS,
});
