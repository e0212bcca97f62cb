import { queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';

const PAGE = 50;

export const MAIL_STATES = ['waiting', 'sent', 'failed'] as const;

export interface OutboxFilter {
  readonly search: string;
  readonly state: (typeof MAIL_STATES)[number] | '';
}

export const outboxQuery = ({ search, state }: OutboxFilter) =>
  cursorQuery({
    queryKey: ['outbox', search, state],
    read: (at, signal) => {
      const query = { limit: PAGE, ...at, ...(search ? { search } : {}), ...(state ? { state } : {}) };
      return answer(api.GET('/api/admin/outbox', { params: { query }, signal }));
    },
    staleTime: 0,
  });

export const letterQuery = (id: string) =>
  queryOptions({
    queryKey: ['outbox-mail', id],
    queryFn: ({ signal }) => body(api.GET('/api/admin/outbox/{id}', { params: { path: { id } }, signal })),
    staleTime: 0,
    gcTime: 0,
  });
