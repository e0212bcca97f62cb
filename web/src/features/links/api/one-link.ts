// What the page and the menu of one link read and send: apart from the lists, which other pages read as well.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { cursorQuery } from '@/lib/api/cursor-query';
import type { components } from '@/lib/api/schema';
import type { LinkRange } from '../lib/search';

export type LinkChange = components['schemas']['LinkChange'];

/** Values of a dimension that a card shows. */
const TOP = 6;

export const linkClicksQuery = (id: string) =>
  cursorQuery({
    queryKey: ['links', 'one', id, 'clicks'] as const,
    read: (at, signal) =>
      answer(
        api.GET('/api/platform/links/{id}/clicks', {
          params: { path: { id }, query: { limit: 20, ...at } },
          signal,
        }),
      ),
  });

/** The changes of a link, the newest first. */
export const linkHistoryQuery = (id: string) =>
  cursorQuery({
    queryKey: ['links', 'one', id, 'history'] as const,
    read: (at, signal) =>
      answer(
        api.GET('/api/platform/links/{id}/history', {
          params: { path: { id }, query: { limit: 20, ...at } },
          signal,
        }),
      ),
  });

/** What a link brought in a range. */
export const linkOverviewQuery = (websiteId: string, link: string, range: LinkRange) =>
  queryOptions({
    queryKey: ['links', 'one', link, 'overview', range] as const,
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/platform/analytics/overview', {
          params: { query: { websiteId, timeRange: range, compare: 'none', filter: [`link:is:${link}`] } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** The values of a dimension with most clicks of one link. */
export const linkTopQuery = (
  websiteId: string,
  link: string,
  by: 'source' | 'page' | 'placement' | 'country',
  range: LinkRange,
) =>
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

/** Archived links work and are left out of lists. */
export const archiveLink = command({
  send: ({ id, isArchived }: { readonly id: string; readonly isArchived: boolean }) =>
    body(api.POST('/api/platform/links/organize', { body: { ids: [id], addTags: [], removeTags: [], isArchived } })),
  changes: [['links']],
  success: (_organized, { isArchived }) => (isArchived ? 'Link archived' : 'Link restored'),
  failure: 'Failed to change the link',
});
