import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import type { ConversionTotals, Website } from '@/lib/api/types';
import type { Filters } from '../lib/search';
import { listParams } from './ledger';

export const totalsQuery = (website: Pick<Website, 'id' | 'timezone'>, filters: Filters) => {
  const wanted = listParams(filters, website.timezone);
  return queryOptions({
    queryKey: ['conversions', website.id, wanted, 'totals'] as const,
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/platform/conversions/totals', {
          params: { query: { websiteId: website.id, ...wanted } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
};

export type StatusTotal = ConversionTotals['statuses'][number];

/** What a status amounts to: the website's currency is one, unless it was changed. */
export const totalOf = (totals: ConversionTotals | undefined, status: StatusTotal['status']): readonly StatusTotal[] =>
  totals?.statuses.filter((item) => item.status === status) ?? [];
