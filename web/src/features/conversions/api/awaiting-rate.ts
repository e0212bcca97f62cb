import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';

export const awaitingRateQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['conversions', 'awaiting-rate', websiteId],
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/conversions/awaiting-rate', { params: { query: { websiteId } }, signal })),
  });
