import { infiniteQueryOptions, keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { answer, api, body, done } from '@/lib/api/client';
import type { OwnedSort } from '@/lib/owned';
import type { LinkRange, LinksFilter } from '../lib/search';

const rangeOf = (range: LinkRange) => (range === 'all' ? {} : { timeRange: range });

/** The links of a website, newest first, as many as a page may hold, with figures of the last 30 days. */
export const linksQuery = (websiteId: string) =>
  infiniteQueryOptions({
    queryKey: ['links', websiteId] as const,
    queryFn: ({ pageParam, signal }) =>
      answer(
        api.GET('/api/platform/links', {
          params: { query: { websiteId, limit: 200, timeRange: '30d', ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
  });

export const filteredLinksQuery = (
  websiteId: string,
  { range, search, tag, folder, partner, archived, sort }: LinksFilter,
) =>
  infiniteQueryOptions({
    queryKey: ['links', websiteId, { range, search, tag, folder, partner, archived, sort }] as const,
    queryFn: ({ pageParam, signal }) =>
      answer(
        api.GET('/api/platform/links', {
          params: {
            query: {
              websiteId,
              limit: 50,
              archived,
              sort,
              ...rangeOf(range),
              ...(search ? { search } : {}),
              ...(tag ? { tag } : {}),
              ...(folder ? { folder } : {}),
              ...(partner ? { partnerId: partner } : {}),
              ...(pageParam ? { cursor: pageParam } : {}),
            },
          },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  });

export const linkQuery = (id: string) =>
  queryOptions({
    queryKey: ['links', 'one', id] as const,
    queryFn: ({ signal }) => body(api.GET('/api/platform/links/{id}', { params: { path: { id } }, signal })),
  });

export const labelsQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['links', websiteId, 'labels'] as const,
    queryFn: ({ signal }) => body(api.GET('/api/platform/links/labels', { params: { query: { websiteId } }, signal })),
  });

export const linkClicksQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['links', 'one', id, 'clicks'] as const,
    queryFn: ({ pageParam, signal }) =>
      answer(
        api.GET('/api/platform/links/{id}/clicks', {
          params: { path: { id }, query: { limit: 20, ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
  });

/** The values of a dimension with most clicks of one link. */
export const linkTopQuery = (websiteId: string, link: string, by: 'source' | 'country', range: LinkRange) =>
  queryOptions({
    queryKey: ['links', 'one', link, 'top', by, range] as const,
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/platform/analytics/breakdown', {
          params: {
            query: { websiteId, by, metrics: 'clicks', limit: TOP, timeRange: range, filter: [`link:is:${link}`] },
          },
          signal,
        }),
      ),
  });

const TOP = 6;

export interface AllLinksFilter {
  readonly search: string;
  readonly linkId: string | undefined;
  readonly sort: OwnedSort;
}

export const pauseLink = (id: string, reason: string) =>
  body(api.POST('/api/admin/links/{id}/pause', { params: { path: { id } }, body: { reason } }));

export const resumeLink = (id: string, reason: string) =>
  body(api.POST('/api/admin/links/{id}/resume', { params: { path: { id } }, body: { reason } }));

export const deleteLink = (id: string, reason: string) =>
  done(api.POST('/api/admin/links/{id}/delete', { params: { path: { id } }, body: { reason } }));

export const allLinksQuery = ({ search, linkId, sort }: AllLinksFilter) =>
  infiniteQueryOptions({
    queryKey: ['links', 'all', { search, linkId, sort }] as const,
    queryFn: ({ pageParam, signal }) =>
      answer(
        api.GET('/api/admin/links', {
          params: {
            query: {
              limit: 50,
              sort,
              ...(search ? { search } : {}),
              ...(linkId ? { linkId } : {}),
              ...(pageParam ? { cursor: pageParam } : {}),
            },
          },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    // Previous results stay during a new search.
    placeholderData: keepPreviousData,
  });

/** After a change: every list of links is read again. */
export function useLinksChanged(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ['links'] });
}
