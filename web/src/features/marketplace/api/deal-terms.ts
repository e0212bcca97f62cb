import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import { FRESH, KEY } from './request';

/** Whether deals have an escrow here: for everyone. */
export const dealTermsQuery = queryOptions({
  queryKey: [KEY, 'deal-terms'] as const,
  queryFn: ({ signal }) => body(api.GET('/api/marketplace/deal-terms', { signal })),
  ...FRESH,
});
