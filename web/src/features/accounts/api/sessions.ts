import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';

/** A page reads it once, each visit again. */
const VISIT_MS = 5_000;

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/sessions', { signal })),
  staleTime: VISIT_MS,
});
