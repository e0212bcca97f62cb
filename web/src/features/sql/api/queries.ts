import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer, api, body, done } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';

type Schemas = components['schemas'];
export type SqlSchema = Schemas['SqlSchema'];
export type SqlTable = Schemas['SqlTable'];
export type SqlResult = Schemas['SqlResult'];
export type Statement = Schemas['AskedStatement'];
export type SavedQuery = Schemas['QueryInFull'];
/** In the list, which has the beginning of each text alone. */
export type ListedQuery = Schemas['ListedQuery'];
export type QueryVersion = Schemas['QueryVersion'];
export type PinnedChart = Schemas['ListedChart'];
export type NewPin = Schemas['PinChart'];
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

/** Every read of saved queries: what is changed is read again. */
export const SAVED = ['sql', 'saved'] as const;

export const savedQuery = queryOptions({
  queryKey: SAVED,
  queryFn: ({ signal }) => body(api.GET('/api/platform/sql/queries', { signal })),
});

export const oneQuery = (id: string) =>
  queryOptions({
    queryKey: [...SAVED, id] as const,
    queryFn: ({ signal }) => body(api.GET('/api/platform/sql/queries/{id}', { params: { path: { id } }, signal })),
  });

export const versionsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...SAVED, id, 'versions'] as const,
    queryFn: ({ pageParam, signal }) => {
      const query = pageParam ? { cursor: pageParam } : {};
      return answer(api.GET('/api/platform/sql/queries/{id}/versions', { params: { path: { id }, query }, signal }));
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
  });

export const tokensQuery = queryOptions({
  queryKey: ['sql', 'tokens'] as const,
  queryFn: ({ signal }) => body(api.GET('/api/platform/sql/tokens', { signal })),
});

export const saveQuery = (title: string, sql: string, ifTitleExists: 'replace' | 'keep_both' | 'reject') =>
  body(api.POST('/api/platform/sql/queries', { body: { title, sql, ifTitleExists } }));

export const changeQuery = (id: string, changes: Schemas['ChangeQuery']) =>
  body(api.PATCH('/api/platform/sql/queries/{id}', { params: { path: { id } }, body: changes }));

export const deleteQuery = (id: string) =>
  done(api.DELETE('/api/platform/sql/queries/{id}', { params: { path: { id } } }));

export const restoreQuery = (id: string) =>
  body(api.POST('/api/platform/sql/queries/{id}/restore', { params: { path: { id } } }));

export const restoreVersion = (id: string, number: number) =>
  body(api.POST('/api/platform/sql/queries/{id}/versions/{number}/restore', { params: { path: { id, number } } }));

export const PINS = ['sql', 'pins'] as const;

export const pinsQuery = queryOptions({
  queryKey: PINS,
  queryFn: ({ signal }) => body(api.GET('/api/platform/sql/pins', { signal })),
});

/** The server stores results as long. */
const RESULT_MS = 5 * 60_000;

export const pinnedResultQuery = (id: string) =>
  queryOptions({
    queryKey: [...PINS, id, 'result'] as const,
    queryFn: ({ signal }) => readPinned(id, false, signal),
    staleTime: RESULT_MS,
    refetchOnWindowFocus: false,
    retry: false,
  });

/** The rows of a pinned chart, when they were read, and since when individual events are complete in them. */
export async function readPinned(id: string, refresh: boolean, signal?: AbortSignal) {
  const params = { path: { id }, query: refresh ? { refresh } : {} };
  const { data, freshness, keptFrom } = await answer(
    api.GET('/api/platform/sql/pins/{id}/result', { params, ...(signal ? { signal } : {}) }),
  );
  return { result: data, asOf: freshness.asOf, keptFrom };
}

export const pinChart = (pin: NewPin) => body(api.POST('/api/platform/sql/pins', { body: pin }));

export const unpinChart = (id: string) => done(api.DELETE('/api/platform/sql/pins/{id}', { params: { path: { id } } }));
