import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, body, done } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';
import type { LinkRange, LinksFilter } from '../lib/search';
import type { BulkLine } from '../lib/bulk';

type Schemas = components['schemas'];
export type LinkChange = Schemas['LinkChange'];

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

/** What the variants of a link earned, and which one is better. */
export const linkSplitQuery = (id: string) =>
  queryOptions({
    queryKey: ['links', 'one', id, 'split'] as const,
    queryFn: ({ signal }) => body(api.GET('/api/platform/links/{id}/split', { params: { path: { id } }, signal })),
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

const TOP = 6;

const changes = [['links']];

export const createLink = command({
  send: (link: Schemas['CreateLink']) => body(api.POST('/api/platform/links', { body: link })),
  changes,
});

export const createLinks = (websiteId: string) =>
  command({
    send: (lines: readonly BulkLine[]) =>
      body(
        api.POST('/api/platform/links/bulk', {
          body: { links: lines.map((line) => ({ websiteId, partnerId: '', ...line.body })) },
        }),
      ),
    changes,
  });

export const editLink = command({
  send: ({ id, ...edits }: Schemas['UpdateLink'] & { readonly id: string }) =>
    body(api.PATCH('/api/platform/links/{id}', { params: { path: { id } }, body: edits })),
  changes,
  success: 'Link updated',
});

/** Ends the test of a split: the variant gets all visitors; null: the test goes on. */
export const chooseWinner = (id: string) =>
  command({
    send: (variant: number | null) =>
      body(api.PUT('/api/platform/links/{id}/split/winner', { params: { path: { id } }, body: { variant } })),
    changes,
    success: (_link, variant) => (variant === null ? 'The test goes on' : 'Test ended'),
    failure: 'Failed to change the test',
  });

/** Archived links work and are left out of lists. */
export const archiveLink = command({
  send: ({ id, isArchived }: { readonly id: string; readonly isArchived: boolean }) =>
    body(api.POST('/api/platform/links/organize', { body: { ids: [id], addTags: [], removeTags: [], isArchived } })),
  changes,
  success: (_organized, { isArchived }) => (isArchived ? 'Link archived' : 'Link restored'),
  failure: 'Failed to change the link',
});

/** `name`: as the person knows the link, such as /deal. */
export const pauseLink = (name: string) =>
  command({
    send: (id: string) =>
      body(api.PATCH('/api/platform/links/{id}', { params: { path: { id } }, body: { isActive: false } })),
    changes,
    success: ['Link paused', `${name} no longer redirects. Turn it on again on the Links page.`],
    failure: 'Failed to pause the link',
  });

export const removeLink = command({
  send: (id: string) => done(api.DELETE('/api/platform/links/{id}', { params: { path: { id } } })),
  changes,
  success: 'Link removed',
  failure: 'Failed to remove the link',
});
