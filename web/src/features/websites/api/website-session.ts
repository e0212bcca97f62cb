// Reads of a website token, with cache keys separate from those of an account.
import { queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import type { WebsiteKey } from '@/lib/api/types';

export const RANGES = { '24h': 'Last 24h', '7d': 'Last 7 days', '30d': 'Last 30 days', '90d': 'Last 90 days' } as const;
export type Range = keyof typeof RANGES;

export const OF_WEBSITE = 'of-website';

/** `id`: of the website that the token opens, so that a successor's token never shows what the one before it read. */
export const websiteQuery = (id: string) =>
  queryOptions({
    queryKey: [OF_WEBSITE, id],
    queryFn: ({ signal }) => body(api.GET('/api/website', { signal })),
  });

export const overviewQuery = (id: string, timeRange: Range) =>
  queryOptions({
    queryKey: [OF_WEBSITE, id, 'overview', timeRange],
    queryFn: ({ signal }) =>
      body(api.GET('/api/website/analytics/overview', { params: { query: { timeRange } }, signal })),
  });

export const clicksQuery = (id: string, timeRange: Range) =>
  queryOptions({
    queryKey: [OF_WEBSITE, id, 'clicks', timeRange],
    queryFn: ({ signal }) =>
      body(api.GET('/api/website/analytics/clicks', { params: { query: { timeRange } }, signal })),
  });

export const partnersQuery = (id: string, timeRange: Range) =>
  queryOptions({
    queryKey: [OF_WEBSITE, id, 'partners', timeRange],
    queryFn: ({ signal }) =>
      body(api.GET('/api/website/analytics/partners', { params: { query: { timeRange } }, signal })),
  });

export const countriesQuery = (id: string, timeRange: Range) =>
  queryOptions({
    queryKey: [OF_WEBSITE, id, 'countries', timeRange],
    queryFn: ({ signal }) =>
      body(api.GET('/api/website/analytics/geographic', { params: { query: { timeRange } }, signal })),
  });

export const deliveryQuery = (id: string, timeRange: Range) =>
  queryOptions({
    queryKey: [OF_WEBSITE, id, 'delivery', timeRange],
    queryFn: ({ signal }) => answer(api.GET('/api/website/delivery', { params: { query: { timeRange } }, signal })),
  });

export const keysQuery = (id: string) =>
  queryOptions({
    queryKey: [OF_WEBSITE, id, 'keys'],
    // The read names the kind as text; these three are all there are.
    queryFn: async ({ signal }) => (await body(api.GET('/api/website/keys', { signal }))) as WebsiteKey[],
  });
