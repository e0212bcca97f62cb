import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';

export const linkedQuery = queryOptions({
  queryKey: ['linked-sign-ins'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/linked-sign-ins', { signal })),
  staleTime: 0,
});
