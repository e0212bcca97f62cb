import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';

export const termsHistoryQuery = (id: string) =>
  queryOptions({
    queryKey: ['admin', 'partners', id, 'terms'] as const,
    queryFn: ({ signal }) => body(api.GET('/api/admin/partners/{id}/terms', { params: { path: { id } }, signal })),
  });
