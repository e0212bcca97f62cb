import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';

export const keysQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['keys', websiteId] as const,
    queryFn: ({ signal }) => body(api.GET('/api/platform/websites/{id}/keys', { params: { path: { id: websiteId } }, signal })),
  });

/** Has anything arrived in the last day? Asked only while the live stream is not there to tell. */
export const arrivedQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['arrived', websiteId] as const,
    queryFn: async ({ signal }) => {
      const delivery = await body(api.GET('/api/platform/analytics/delivery', { params: { query: { websiteId, timeRange: '24h' } }, signal }));
      return Object.values(delivery.outcomes).some((count) => count > 0);
    },
    staleTime: 0,
  });
