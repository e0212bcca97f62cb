import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';

export const invitesQuery = queryOptions({
  queryKey: ['invite-codes'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/invite-codes', { signal })),
  staleTime: 0,
});
