import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';

export type AccessToken = components['schemas']['AccessToken'];

/** A page reads it once, each visit again. */
const VISIT_MS = 5_000;

export const accessTokensQuery = queryOptions({
  queryKey: ['access-tokens'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/tokens', { signal })),
  staleTime: VISIT_MS,
});
