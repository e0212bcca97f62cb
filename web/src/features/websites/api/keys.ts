import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { sendTestEvent } from '../lib/snippet';

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

export const testEvent = (trackingUrl: string, siteKey: string, domain: string) =>
  command({
    send: () => sendTestEvent(trackingUrl, siteKey, domain),
    success: ['Test event sent', 'It should appear within a second.'],
    failure: 'Failed to send the test event',
  });
