import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';

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

export interface ClicksFilter {
  readonly websiteId: string;
  readonly partnerId: string;
  readonly linkId: string;
  readonly country: string;
  readonly device: string;
  readonly bots: 'include' | 'exclude' | 'only';
  readonly conversionId: string;
}

export const NO_CLICKS_FILTER: ClicksFilter = { websiteId: '', partnerId: '', linkId: '', country: '', device: '', bots: 'include', conversionId: '' };

/** The filter as the API's query: what is empty is left out. */
export function clicksParams(filter: ClicksFilter): Record<string, string> {
  const { bots, country, ...rest } = filter;
  const known = { ...rest, ...(country.length === 2 ? { country: country.toUpperCase() } : {}), ...(bots === 'include' ? {} : { bots }) };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== ''));
}

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
