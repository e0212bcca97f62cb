// Reads that several features need.
import { queryOptions } from '@tanstack/react-query';
import { api, body } from './client';
import { updateUser } from '@/lib/session';

export const websitesQuery = queryOptions({
  queryKey: ['websites'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/websites', { signal })),
});

export const partnersQuery = queryOptions({
  queryKey: ['partners'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/partners', { signal })),
});

export const userQuery = queryOptions({
  queryKey: ['user'],
  queryFn: async ({ signal }) => {
    const user = await body(api.GET('/api/platform/user', { signal }));
    updateUser(user); // the header and the menus follow what changed elsewhere
    return user;
  },
});
