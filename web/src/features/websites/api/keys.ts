import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';

/** Whether any event arrived in the last day, with any outcome. */
export const arrivedQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['arrived', websiteId] as const,
    queryFn: async ({ signal }) => {
      const delivery = await body(
        api.GET('/api/platform/analytics/delivery', { params: { query: { websiteId, timeRange: '24h' } }, signal }),
      );
      return Object.values(delivery.outcomes).some((count) => count > 0);
    },
    staleTime: 0,
  });
