import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';

export type Waiting = components['schemas']['AwaitingRate'];

/** Not tried again after an error: the page waits for it. */
export const awaitingRateQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['conversions', 'awaiting-rate', websiteId],
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/conversions/awaiting-rate', { params: { query: { websiteId } }, signal })),
    retry: false,
  });
