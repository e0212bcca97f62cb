import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';

export type TrailCheck = components['schemas']['AuditCheck'];

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

/** Works the chain out stretch by stretch, from the last anchor or from the first entry; `onPart` hears of each. */
export async function checkTrail(whole: boolean, onPart: (part: TrailCheck) => void): Promise<TrailCheck> {
  let after = whole ? 0 : null;
  for (;;) {
    const part = await body(api.GET('/api/admin/audit-trail/check', { params: { query: after === null ? {} : { after } } }));
    onPart(part);
    if (part.firstBroken !== null || part.checkedTo >= part.rows || part.checkedTo === after) return part;
    after = part.checkedTo;
  }
}

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
