import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/sessions', { signal })),
  staleTime: 0,
});

export const activityQuery = infiniteQueryOptions({
  queryKey: ['activity'],
  queryFn: ({ signal, pageParam }) =>
    answer(api.GET('/api/platform/user/activity', { params: { query: { limit: 10, ...(pageParam ? { cursor: pageParam } : {}) } }, signal })),
  initialPageParam: '',
  getNextPageParam: (page) => page.nextCursor,
  staleTime: 0,
});

export const invitesQuery = queryOptions({
  queryKey: ['invite-codes'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/invite-codes', { signal })),
  staleTime: 0,
});

export const linkedQuery = queryOptions({
  queryKey: ['linked-sign-ins'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/linked-sign-ins', { signal })),
  staleTime: 0,
});

export const domainsQuery = queryOptions({
  queryKey: ['custom-domains'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/custom-domains', { signal })),
  staleTime: 0,
});
