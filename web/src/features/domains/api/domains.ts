import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';

export const domainsQuery = queryOptions({
  queryKey: ['custom-domains'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/custom-domains', { signal })),
  staleTime: 0,
});
