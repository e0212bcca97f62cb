import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import { clicksParams, type ClicksFilter } from './clicks-search';

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

export const clicksQuery = (filter: ClicksFilter) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'clicks', clicksParams(filter)] as const,
    queryFn: ({ pageParam, signal }) =>
      answer(api.GET('/api/admin/clicks', { params: { query: { limit: 50, ...clicksParams(filter), ...(pageParam ? { cursor: pageParam } : {}) } }, signal })),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
  });

/** Links to choose from in a filter. */
export const linkChoicesQuery = (websiteId: string, partnerId: string) =>
  queryOptions({
    queryKey: ['links', 'choices', websiteId, partnerId] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/admin/links', { params: { query: { limit: 200, ...(websiteId ? { websiteId } : {}), ...(partnerId ? { partnerId } : {}) } }, signal })),
  });
