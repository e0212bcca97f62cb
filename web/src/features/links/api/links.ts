import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import type { LinkRange, LinksFilter } from '../lib/search';

const rangeOf = (range: LinkRange) => (range === 'all' ? {} : { timeRange: range });

/** The links of a website, newest first, as many as a page may hold, with figures of the last 30 days. */
export const linksQuery = (websiteId: string) =>
  cursorQuery({
    queryKey: ['links', websiteId] as const,
    read: (at, signal) =>
      answer(
        api.GET('/api/platform/links', {
          params: { query: { websiteId, limit: 200, timeRange: '30d', ...at } },
          signal,
        }),
      ),
  });

export const filteredLinksQuery = (
  websiteId: string,
  { range, search, tag, folder, partner, archived, sort }: LinksFilter,
) =>
  cursorQuery({
    queryKey: ['links', websiteId, { range, search, tag, folder, partner, archived, sort }] as const,
    read: (at, signal) =>
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
              ...at,
            },
          },
          signal,
        }),
      ),
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
