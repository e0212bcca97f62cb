// What the conversions page reads and decides: lists by day, explanations, statements, and many decisions at once.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import type { BulkResult } from '@/lib/api/types';
import type { ConversionsState } from './search';

const PAGE = 50;
export const MOST_AT_ONCE = 500;

type Filter = Pick<ConversionsState, 'status' | 'partner' | 'from' | 'to'>;

const given = ({ partner, from, to }: Omit<Filter, 'status'>) => ({
  ...(partner ? { partnerId: partner } : {}),
  ...(from ? { from } : {}),
  ...(to ? { to } : {}),
});

export const ledgerQuery = (websiteId: string, filter: Filter) =>
  infiniteQueryOptions({
    queryKey: ['conversions', websiteId, { status: filter.status, ...given(filter) }, 'ledger'] as const,
    queryFn: ({ pageParam, signal }) =>
      answer(
        api.GET('/api/platform/conversions', {
          params: { query: { websiteId, limit: PAGE, ...given(filter), ...(filter.status ? { status: filter.status } : {}), ...(pageParam ? { cursor: pageParam } : {}) } },
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
    queryFn: ({ signal }) => body(api.GET('/api/platform/conversions/{id}/explain', { params: { path: { id } }, signal })),
  });

export const statementsQuery = (websiteId: string, month: string) =>
  queryOptions({
    queryKey: ['statements', websiteId, month] as const,
    queryFn: ({ signal }) => body(api.GET('/api/platform/statements', { params: { query: { websiteId, month } }, signal })),
    staleTime: 30_000,
  });

export const statementFile = (websiteId: string, month: string, partnerId: string, kind: 'csv' | 'html'): string =>
  `/api/platform/statements/${partnerId}.${kind}?${new URLSearchParams({ websiteId, month }).toString()}`;

export type Bulk = { readonly kind: 'approve' } | { readonly kind: 'reject'; readonly reason: string };
/** Named one by one, or all pending ones of a filter. */
export type Which = { readonly ids: readonly string[] } | { readonly websiteId: string; readonly filter: Filter };

/** A filter of more than one request's worth is sent again until it is done. */
export async function decideMany(bulk: Bulk, which: Which): Promise<BulkResult['results']> {
  if ('ids' in which) return (await send(bulk, { ids: [...which.ids] })).results;
  const results: BulkResult['results'] = [];
  for (;;) {
    const part = await send(bulk, { filter: { websiteId: which.websiteId, ...given(which.filter) } });
    results.push(...part.results);
    // The list may lag behind what was just decided: a round that decides nothing new is the last.
    if (!part.more || !part.results.some((result) => result.ok)) return results;
  }
}

function send(bulk: Bulk, which: { ids: string[] } | { filter: { websiteId: string } }): Promise<BulkResult> {
  if (bulk.kind === 'approve') return body(api.POST('/api/platform/conversions/approve', { body: which }));
  return body(api.POST('/api/platform/conversions/reject', { body: { ...which, reason: bulk.reason } }));
}
