// What a website token may read. Kept apart in the cache from what an account reads.
import { queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import type { WebsiteKey } from '@/lib/api/types';

export const RANGES = { '24h': 'Last 24h', '7d': 'Last 7 days', '30d': 'Last 30 days', '90d': 'Last 90 days' } as const;
export type Range = keyof typeof RANGES;

export const OF_WEBSITE = 'of-website';

export const websiteQuery = queryOptions({
  queryKey: [OF_WEBSITE],
  queryFn: ({ signal }) => body(api.GET('/api/website', { signal })),
});

export const overviewQuery = (timeRange: Range) =>
  queryOptions({
    queryKey: [OF_WEBSITE, 'overview', timeRange],
    queryFn: ({ signal }) => body(api.GET('/api/website/analytics/overview', { params: { query: { timeRange } }, signal })),
  });

export const clicksQuery = (timeRange: Range) =>
  queryOptions({
    queryKey: [OF_WEBSITE, 'clicks', timeRange],
    queryFn: ({ signal }) => body(api.GET('/api/website/analytics/clicks', { params: { query: { timeRange } }, signal })),
  });

export const partnersQuery = (timeRange: Range) =>
  queryOptions({
    queryKey: [OF_WEBSITE, 'partners', timeRange],
    queryFn: ({ signal }) => body(api.GET('/api/website/analytics/partners', { params: { query: { timeRange } }, signal })),
  });

export const countriesQuery = (timeRange: Range) =>
  queryOptions({
    queryKey: [OF_WEBSITE, 'countries', timeRange],
    queryFn: ({ signal }) => body(api.GET('/api/website/analytics/geographic', { params: { query: { timeRange } }, signal })),
  });

export const deliveryQuery = (timeRange: Range) =>
  queryOptions({
    queryKey: [OF_WEBSITE, 'delivery', timeRange],
    queryFn: ({ signal }) => answer(api.GET('/api/website/delivery', { params: { query: { timeRange } }, signal })),
  });

export const keysQuery = queryOptions({
  queryKey: [OF_WEBSITE, 'keys'],
  // The read names the kind as text; these three are all there are.
  queryFn: async ({ signal }) => (await body(api.GET('/api/website/keys', { signal }))) as WebsiteKey[],
});
