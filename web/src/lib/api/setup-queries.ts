// Reads about keys, addresses and the directory that several features need, but no page at first: they stay out of what
// every page loads.
import { queryOptions } from '@tanstack/react-query';
import { api, body } from './client';
import type { WebsiteKey } from './types';

export const keysQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['keys', websiteId] as const,
    // The read names the kind as text; these three are all there are.
    queryFn: async ({ signal }) =>
      (await body(
        api.GET('/api/platform/websites/{id}/keys', { params: { path: { id: websiteId } }, signal }),
      )) as WebsiteKey[],
  });

export const aboutQuery = queryOptions({
  queryKey: ['about'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/about', { signal })),
});

export const adminPartnersQuery = queryOptions({
  queryKey: ['admin', 'partners'],
  queryFn: ({ signal }) => body(api.GET('/api/admin/partners', { signal })),
});

/** The newest links to a partner. */
export const newestLinksQuery = (websiteId: string, partnerId: string) =>
  queryOptions({
    queryKey: ['links', websiteId, 'newest', partnerId] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/links', { params: { query: { websiteId, partnerId, limit: 20 } }, signal })),
  });
