import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/sessions', { signal })),
  staleTime: 0,
});
