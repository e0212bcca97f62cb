import { queryOptions } from '@tanstack/react-query';
import { answer, api, body, done } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { command } from '@/lib/api/command';
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
type NewPin = Schemas['PinChart'];
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
const SAVED = ['sql', 'saved'] as const;

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
  cursorQuery({
    queryKey: [...SAVED, id, 'versions'] as const,
    read: (at, signal) => {
      const query = at;
      return answer(api.GET('/api/platform/sql/queries/{id}/versions', { params: { path: { id }, query }, signal }));
    },
  });

export const tokensQuery = queryOptions({
  queryKey: ['sql', 'tokens'] as const,
  queryFn: ({ signal }) => body(api.GET('/api/platform/sql/tokens', { signal })),
});

const queryAt = (id: string) => ({ params: { path: { id } } });
const changes = [SAVED];

export const saveQuery = command({
  send: (query: Schemas['SaveQuery']) => body(api.POST('/api/platform/sql/queries', { body: query })),
  changes,
  success: ({ version, title }) => [version > 1 ? `Version ${version} saved` : 'Query saved', title],
});

export const saveText = command({
  send: ({ id, sql }: Pick<SavedQuery, 'id' | 'sql'>) =>
    body(api.PATCH('/api/platform/sql/queries/{id}', { ...queryAt(id), body: { sql } })),
  changes,
  success: ({ version, title }) => [`Version ${version} saved`, title],
  failure: 'Could not save the query',
});

/** With all analysts, or no longer. */
export const toggleShared = command({
  send: ({ id, isShared }: Pick<SavedQuery, 'id' | 'isShared'>) =>
    body(api.PATCH('/api/platform/sql/queries/{id}', { ...queryAt(id), body: { isShared: !isShared } })),
  changes,
  success: ({ title, isShared }) => [isShared ? 'Shared with all analysts' : 'No longer shared', title],
  failure: 'Could not change the query',
});

export const deleteQuery = command({
  send: ({ id }: Pick<SavedQuery, 'id' | 'title'>) => done(api.DELETE('/api/platform/sql/queries/{id}', queryAt(id))),
  changes,
  failure: 'Could not delete the query',
});

export const restoreQuery = command({
  send: (id: string) => body(api.POST('/api/platform/sql/queries/{id}/restore', queryAt(id))),
  changes,
  success: ({ title }) => ['Query restored', title],
  failure: 'Could not restore the query',
});

export const restoreVersion = command({
  send: (path: { readonly id: string; readonly number: number }) =>
    body(api.POST('/api/platform/sql/queries/{id}/versions/{number}/restore', { params: { path } })),
  changes,
  success: ({ version }, { number }) => [`Version ${number} restored`, `It is version ${version} now.`],
  failure: 'Could not restore the version',
});

export const createToken = command({
  send: (token: Schemas['CreateSqlToken']) => body(api.POST('/api/platform/sql/tokens', { body: token })),
  changes: [tokensQuery.queryKey],
});

export const revokeToken = command({
  send: (id: string) => done(api.DELETE('/api/platform/sql/tokens/{id}', queryAt(id))),
  changes: [tokensQuery.queryKey],
  success: ['Token revoked', 'Clients that use it are now rejected.'],
  failure: 'Failed to revoke the token',
});

const PINS = ['sql', 'pins'] as const;

export const pinsQuery = queryOptions({
  queryKey: [...PINS, 'list'] as const,
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
async function readPinned(id: string, refresh: boolean, signal?: AbortSignal) {
  const params = { path: { id }, query: refresh ? { refresh } : {} };
  const { data, freshness, keptFrom } = await answer(
    api.GET('/api/platform/sql/pins/{id}/result', { params, ...(signal ? { signal } : {}) }),
  );
  return { result: data, asOf: freshness.asOf, keptFrom };
}

/** Reads it again, not what the server stores. */
export const refreshPinned = command({
  send: (id: string) => readPinned(id, true),
  failure: 'Could not refresh the chart',
});

const sendPin = ({ queryId, kind, x, y, parameters }: NewPin) =>
  body(api.POST('/api/platform/sql/pins', { body: { queryId, kind, x, y, parameters } }));

/** Of the list alone: results of other charts stay. */
const pinChanges = [pinsQuery.queryKey];

export const pinChart = command({
  send: sendPin,
  changes: pinChanges,
  success: 'Pinned to your dashboard',
  failure: 'Could not pin the chart',
});

export const pinAgain = command({ send: sendPin, changes: pinChanges, failure: 'Could not pin the chart' });

export const unpinChart = command({
  send: ({ id }: PinnedChart) => done(api.DELETE('/api/platform/sql/pins/{id}', queryAt(id))),
  changes: pinChanges,
  failure: 'Could not unpin the chart',
});

/** The other formats of an answer have no shape, so the description gives none to this one either. */
export async function runStatement(question: Omit<Schemas['SqlQuestion'], 'format'>, signal: AbortSignal) {
  const asked = { ...question, format: 'json' } as const;
  const { data, keptFrom } = await answer(api.POST('/api/platform/sql', { body: asked, signal }));
  return { result: data as SqlResult, keptFrom };
}

export const cancelStatement = (queryId: string) =>
  done(api.DELETE('/api/platform/sql/{queryId}', { params: { path: { queryId } } }));

export const statementFile = async (question: Schemas['SqlQuestion']) =>
  (await api.POST('/api/platform/sql', { body: question, parseAs: 'blob' })).data as unknown as Blob;
