import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';

export type PartnerTotals = components['schemas']['PartnerTotals'];

/** What each partner brought on all websites in the last 30 days. */
export const performanceQuery = queryOptions({
  queryKey: ['admin', 'partners', 'performance'],
  queryFn: ({ signal }) => body(api.GET('/api/admin/partners/performance', { signal })),
  staleTime: 60_000,
});
