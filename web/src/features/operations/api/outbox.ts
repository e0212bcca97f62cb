import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';

const PAGE = 50;

const at = (cursor: string) => ({ limit: PAGE, ...(cursor ? { cursor } : {}) });

export const MAIL_STATES = ['waiting', 'sent', 'failed'] as const;

export interface OutboxFilter {
  readonly search: string;
  readonly state: (typeof MAIL_STATES)[number] | '';
}

export const outboxQuery = ({ search, state }: OutboxFilter) =>
  infiniteQueryOptions({
    queryKey: ['outbox', search, state],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) => {
      const query = { ...at(pageParam), ...(search ? { search } : {}), ...(state ? { state } : {}) };
      return answer(api.GET('/api/admin/outbox', { params: { query }, signal }));
    },
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
