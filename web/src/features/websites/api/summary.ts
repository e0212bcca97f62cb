import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';

export type WebsitesSummary = components['schemas']['WebsitesSummary'];
export type WebsiteSummary = WebsitesSummary['websites'][number];
export type PeriodTotals = WebsiteSummary['today'];
export type NotConverted = WebsitesSummary['totals']['today']['notConverted'][number];
export type Movers = components['schemas']['Movers'];
export type Mover = Movers['dimensions'][number]['rows'][number];
export type Period = Movers['period'];

/** All websites of the account; the currency of most of them unless one is given. */
export const summaryQuery = (currency?: string) =>
  queryOptions({
    queryKey: ['websites-summary', currency ?? ''] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/websites/summary', { params: { query: currency ? { currency } : {} }, signal })),
    staleTime: 30_000,
    placeholderData: (previous) => previous,
  });

/** Which partners, pages, sources, countries and links of all websites earned more or less than in the period before. */
export const moversQuery = (period: Period, currency?: string) =>
  queryOptions({
    queryKey: ['websites-movers', period, currency ?? ''] as const,
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/platform/websites/movers', {
          params: { query: { period, ...(currency ? { currency } : {}) } },
          signal,
        }),
      ),
    staleTime: 30_000,
    placeholderData: (previous) => previous,
  });
