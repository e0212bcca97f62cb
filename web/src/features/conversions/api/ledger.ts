// Reads and commands of the conversions page: lists by day, explanations, statements and bulk decisions.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';
import type { BulkResult } from '@/lib/api/types';
import type { ConversionsState } from '../lib/search';

const PAGE = 50;
export const MAX_BATCH_SIZE = 500;

type Filter = Pick<ConversionsState, 'status' | 'partner' | 'keyKind' | 'from' | 'to'>;

const given = ({ partner, keyKind, from, to }: Omit<Filter, 'status'>) => ({
  ...(partner ? { partnerId: partner } : {}),
  ...(keyKind ? { keyKind } : {}),
  ...(from ? { from } : {}),
  ...(to ? { to } : {}),
});

export const ledgerQuery = (websiteId: string, filter: Filter) =>
  infiniteQueryOptions({
    queryKey: ['conversions', websiteId, { status: filter.status, ...given(filter) }, 'ledger'] as const,
    queryFn: ({ pageParam, signal }) =>
      answer(
        api.GET('/api/platform/conversions', {
          params: {
            query: {
              websiteId,
              limit: PAGE,
              ...given(filter),
              ...(filter.status ? { status: filter.status } : {}),
              ...(pageParam ? { cursor: pageParam } : {}),
            },
          },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 30_000,
  });

export const explanationQuery = (id: string) =>
  queryOptions({
    queryKey: ['explanation', id] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/conversions/{id}/explain', { params: { path: { id } }, signal })),
  });

export const statementsQuery = (websiteId: string, month: string) =>
  queryOptions({
    queryKey: ['statements', websiteId, month] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/statements', { params: { query: { websiteId, month } }, signal })),
    staleTime: 30_000,
  });

export const ledgerFile = (websiteId: string, filter: Filter): string =>
  `/api/platform/conversions.csv?${new URLSearchParams({ websiteId, ...given(filter), ...(filter.status ? { status: filter.status } : {}) }).toString()}`;

export type Adjustment = 'accept' | 'dismiss';

export const decideAdjustment = (id: string, how: Adjustment) => {
  const params = { path: { id } };
  return how === 'accept'
    ? body(api.POST('/api/platform/conversions/{id}/adjustment/accept', { params, body: {} }))
    : body(api.POST('/api/platform/conversions/{id}/adjustment/dismiss', { params, body: {} }));
};

export const statementFile = (websiteId: string, month: string, partnerId: string, kind: 'csv' | 'html'): string =>
  `/api/platform/statements/${partnerId}.${kind}?${new URLSearchParams({ websiteId, month }).toString()}`;

export type Bulk = { readonly kind: 'approve' } | { readonly kind: 'reject'; readonly reason: string };
/** The pending ones of a website that have every value that is given. */
export type Matching = components['schemas']['Filter'];
/** Named one by one, or all pending ones of a filter. */
export type Which = { readonly ids: readonly string[] } | { readonly matching: Matching };

export const matchingOf = (websiteId: string, filter: Filter): Matching => ({ websiteId, ...given(filter) });

export interface Outcome {
  readonly results: BulkResult['results'];
  /** Why it stopped early; earlier decisions stand. */
  readonly error: unknown;
}

/** In batches, until all are decided, one fails, or `isWanted` returns false. `onCount` gets the number done. */
export async function decideMany(
  bulk: Bulk,
  which: Which,
  onCount: (count: number) => void,
  isWanted: () => boolean,
): Promise<Outcome> {
  const results: BulkResult['results'] = [];
  try {
    for (let start = 0; isWanted(); start += MAX_BATCH_SIZE) {
      const asked =
        'ids' in which ? { ids: which.ids.slice(start, start + MAX_BATCH_SIZE) } : { filter: which.matching };
      const part = await send(bulk, asked);
      results.push(...part.results);
      onCount(results.length);
      // The list may lag behind what was just decided: a round that decides nothing new is the last.
      const isOver =
        'ids' in which
          ? start + MAX_BATCH_SIZE >= which.ids.length
          : !part.more || !part.results.some((result) => result.ok);
      if (isOver) break;
    }
  } catch (error) {
    if (results.length === 0) throw error;
    return { results, error };
  }
  return { results, error: null };
}

function send(bulk: Bulk, which: { ids: string[] } | { filter: Matching }): Promise<BulkResult> {
  if (bulk.kind === 'approve') return body(api.POST('/api/platform/conversions/approve', { body: which }));
  return body(api.POST('/api/platform/conversions/reject', { body: { ...which, reason: bulk.reason } }));
}
