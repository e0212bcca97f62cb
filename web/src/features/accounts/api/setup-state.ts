import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';

/** Whether the installation still waits for its first account. */
export const setupStateQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/setup', { signal })),
});
