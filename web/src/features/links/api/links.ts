import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, body, done } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';
import type { LinkRange, LinksFilter } from '../lib/search';
import type { BulkLine } from '../lib/bulk';

type Schemas = components['schemas'];

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
