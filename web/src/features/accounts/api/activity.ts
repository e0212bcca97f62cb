import { answer, api } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';

/** A page reads it once, each visit again. */
const VISIT_MS = 5_000;

export const activityQuery = cursorQuery({
  queryKey: ['activity'],
  read: (at, signal) =>
    answer(
      api.GET('/api/platform/user/activity', {
        params: { query: { limit: 10, ...at } },
        signal,
      }),
    ),
  staleTime: VISIT_MS,
});
