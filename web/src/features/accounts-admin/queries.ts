import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';

const PAGE = 50;
const at = (cursor: string) => ({ limit: PAGE, ...(cursor ? { cursor } : {}) });

export const accountsQuery = (search: string) =>
  infiniteQueryOptions({
    queryKey: ['admin-accounts', search],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      answer(api.GET('/api/admin/accounts', { params: { query: { ...at(pageParam), ...(search ? { search } : {}) } }, signal })),
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });

export interface TrailFilter {
  readonly action: string;
  readonly outcome: '' | 'done' | 'refused';
  readonly accountId: string;
}

export const trailQuery = ({ action, outcome, accountId }: TrailFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit-trail', action, outcome, accountId],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) => {
      const query = { ...at(pageParam), ...(action ? { action } : {}), ...(outcome ? { outcome } : {}), ...(accountId ? { accountId } : {}) };
      return answer(api.GET('/api/admin/audit-trail', { params: { query }, signal }));
    },
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });

export const trailCheckQuery = queryOptions({
  queryKey: ['audit-trail-check'],
  queryFn: ({ signal }) => body(api.GET('/api/admin/audit-trail/check', { signal })),
  staleTime: 0,
  gcTime: 0,
});

export const outboxQuery = infiniteQueryOptions({
  queryKey: ['outbox'],
  initialPageParam: '',
  queryFn: ({ signal, pageParam }) => answer(api.GET('/api/admin/outbox', { params: { query: at(pageParam) }, signal })),
  getNextPageParam: (page) => page.nextCursor,
  staleTime: 0,
});

export const letterQuery = (id: string) =>
  queryOptions({
    queryKey: ['outbox-mail', id],
    queryFn: ({ signal }) => body(api.GET('/api/admin/outbox/{id}', { params: { path: { id } }, signal })),
    staleTime: 0,
    gcTime: 0,
  });
