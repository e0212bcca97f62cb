import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';

export type PartnerTotals = components['schemas']['PartnerTotals'];

/** What each partner brought on all websites in the last 30 days. Money in this currency; null: in that of all websites. */
export const performanceQuery = (currency: string | null) =>
  queryOptions({
    queryKey: ['admin', 'partners', 'performance', currency],
    queryFn: ({ signal }) =>
      body(api.GET('/api/admin/partners/performance', { params: { query: currency ? { currency } : {} }, signal })),
    staleTime: 60_000,
  });
