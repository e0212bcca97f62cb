import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';

/** A page reads it once, each visit again. */
const VISIT_MS = 5_000;

export const invitesQuery = queryOptions({
  queryKey: ['invite-codes'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/invite-codes', { signal })),
  staleTime: VISIT_MS,
});
