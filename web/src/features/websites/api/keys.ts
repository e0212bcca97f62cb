import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { sendTestEvent } from '../lib/snippet';

/** How far the first event has come: `shown` is in the numbers of the reports; `counted` is on its way there; of `bot` and `rejected` there is nothing to show. */
export type Arrival = 'none' | 'rejected' | 'bot' | 'counted' | 'shown';

export const arrivalQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['arrival', websiteId] as const,
    queryFn: async ({ signal }): Promise<Arrival> => {
      const [delivery, overview] = await Promise.all([
        body(
          api.GET('/api/platform/analytics/delivery', { params: { query: { websiteId, timeRange: '24h' } }, signal }),
        ),
        body(
          api.GET('/api/platform/analytics/overview', {
            params: { query: { websiteId, timeRange: '30d', compare: 'none' } },
            signal,
          }),
        ),
      ]);
      if (overview.pageviews + overview.clicks.total > 0) return 'shown';
      const { accepted, bot, ...others } = delivery.outcomes;
      if (accepted > 0) return 'counted';
      if (bot > 0) return 'bot';
      return Object.values(others).some((count) => count > 0) ? 'rejected' : 'none';
    },
    staleTime: 0,
  });

export const testEvent = (trackingUrl: string, siteKey: string, domain: string) =>
  command({
    send: () => sendTestEvent(trackingUrl, siteKey, domain),
    success: ['Test event sent', 'It should appear within a second.'],
    failure: 'Failed to send the test event',
  });
