// Reads that several features need.
import { queryOptions } from '@tanstack/react-query';
import { api, body } from './api/client';

export const websitesQuery = queryOptions({
  queryKey: ['websites'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/websites', { signal })),
});

export const partnersQuery = queryOptions({
  queryKey: ['partners'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/partners', { signal })),
});

export const aboutQuery = queryOptions({
  queryKey: ['about'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/about', { signal })),
});

export const userQuery = queryOptions({
  queryKey: ['user'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/user', { signal })),
});
