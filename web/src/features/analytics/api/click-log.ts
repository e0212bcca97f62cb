import { queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { type ClicksFilter, clicksParams } from '../lib/clicks-search';

export const clicksQuery = (filter: ClicksFilter) =>
  cursorQuery({
    queryKey: ['admin', 'clicks', clicksParams(filter)] as const,
    read: (at, signal) =>
      answer(
        api.GET('/api/admin/clicks', {
          params: { query: { limit: 50, ...clicksParams(filter), ...at } },
          signal,
        }),
      ),
  });

/** Links to choose from in a filter. */
export const linkChoicesQuery = (websiteId: string, partnerId: string) =>
  queryOptions({
    queryKey: ['links', 'choices', websiteId, partnerId] as const,
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/admin/links', {
          params: { query: { limit: 200, ...(websiteId ? { websiteId } : {}), ...(partnerId ? { partnerId } : {}) } },
          signal,
        }),
      ),
  });
