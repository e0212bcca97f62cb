// What waits for a decision, and what is overdue.
import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';

export type OpenItems = components['schemas']['OpenItems'];
export type OpenAmount = OpenItems['pending'];

/** Of all websites, in one currency. */
export const openItemsQuery = (currency: string) =>
  queryOptions({
    // Decisions and payouts invalidate their own lists: this belongs to both.
    queryKey: ['payouts', 'open-items', currency] as const,
    queryFn: ({ signal }) => body(api.GET('/api/platform/open-items', { params: { query: { currency } }, signal })),
    staleTime: 30_000,
    placeholderData: (previous) => previous,
  });
