import { answer, api } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import type { components } from '@/lib/api/schema';
import type { AnalyticsParams } from './analytics';

export type LoggedEvent = components['schemas']['LoggedEvent'];
/** What a number counts. */
export type EventsOf = 'clicks' | 'pageviews' | 'conversions' | 'everything';

const PAGE = 50;

/** The events behind a number, newest first, each with its position in the log. */
export const eventsQuery = (of: EventsOf, params: AnalyticsParams) =>
  cursorQuery({
    queryKey: ['analytics', 'events', params, of] as const,
    read: (at, signal) =>
      answer(
        api.GET('/api/platform/analytics/events', {
          params: { query: { ...params, of, limit: PAGE, ...at } },
          signal,
        }),
      ),
  });
