import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';

type Schemas = components['schemas'];
export type SqlSchema = Schemas['SqlSchema'];
export type SqlTable = Schemas['SqlTable'];
export type SqlResult = Schemas['SqlResult'];
export type Statement = Schemas['AskedStatement'];
export type SavedQuery = Schemas['SavedQuery'];
export type SqlToken = Schemas['SqlToken'];

export const schemaQuery = queryOptions({
  queryKey: ['sql', 'schema'] as const,
  queryFn: ({ signal }) => body(api.GET('/api/platform/sql/schema', { signal })),
  staleTime: Infinity,
});

export const historyQuery = queryOptions({
  queryKey: ['sql', 'history'] as const,
  queryFn: ({ signal }) => body(api.GET('/api/platform/sql/history', { params: { query: { limit: 50 } }, signal })),
});

/** Of all analysts, for admins. */
export const allHistoryQuery = queryOptions({
  queryKey: ['sql', 'history', 'everybody'] as const,
  queryFn: ({ signal }) => body(api.GET('/api/admin/sql/history', { params: { query: { limit: 100 } }, signal })),
});

export const savedQuery = queryOptions({
  queryKey: ['sql', 'saved'] as const,
  queryFn: ({ signal }) => body(api.GET('/api/platform/sql/queries', { signal })),
});

export const tokensQuery = queryOptions({
  queryKey: ['sql', 'tokens'] as const,
  queryFn: ({ signal }) => body(api.GET('/api/platform/sql/tokens', { signal })),
});
