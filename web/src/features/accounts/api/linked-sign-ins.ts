import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';

/** A page reads it once, each visit again. */
const VISIT_MS = 5_000;

export const linkedQuery = queryOptions({
  queryKey: ['linked-sign-ins'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/linked-sign-ins', { signal })),
  staleTime: VISIT_MS,
});
