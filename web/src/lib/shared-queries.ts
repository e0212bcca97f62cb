// Reads that several features need.
import { queryOptions } from '@tanstack/react-query';
import { api, body } from './api/client';
import type { WebsiteKey } from './api/types';
import { updateUser } from './session';

export const websitesQuery = queryOptions({
  queryKey: ['websites'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/websites', { signal })),
});

export const partnersQuery = queryOptions({
  queryKey: ['partners'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/partners', { signal })),
});

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

export const userQuery = queryOptions({
  queryKey: ['user'],
  queryFn: async ({ signal }) => {
    const user = await body(api.GET('/api/platform/user', { signal }));
    updateUser(user); // the header and the menus follow what changed elsewhere
    return user;
  },
});

export const adminPartnersQuery = queryOptions({
  queryKey: ['admin', 'partners'],
  queryFn: ({ signal }) => body(api.GET('/api/admin/partners', { signal })),
});
