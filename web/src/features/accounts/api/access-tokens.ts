import { queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';

export type AccessToken = components['schemas']['AccessToken'];

/** A page reads it once, each visit again. */
const VISIT_MS = 5_000;

export const accessTokensQuery = queryOptions({
  queryKey: ['access-tokens'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/tokens', { signal })),
  staleTime: VISIT_MS,
});

export const createToken = (token: components['schemas']['CreateAccessToken']) =>
  body(api.POST('/api/platform/tokens', { body: token }));

export const revokeToken = command({
  send: (id: string) => done(api.DELETE('/api/platform/tokens/{id}', { params: { path: { id } } })),
  changes: [accessTokensQuery.queryKey],
  success: ['Token revoked', 'Programs that use it are now rejected.'],
  failure: 'Failed to revoke the token',
});
