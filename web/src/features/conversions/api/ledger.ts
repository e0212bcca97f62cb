// Reads and commands of the conversions page: the list, explanations and statements.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { command } from '@/lib/api/command';
import type { Conversion, Website } from '@/lib/api/types';
import { DEFAULT_SORT, daysOfState, type Filters, type Sort } from '../lib/search';
import { CONVERSION_READS } from './conversions';

const PAGE = 50;
type Place = Pick<Website, 'id' | 'timezone'>;

/** The filter as the list, its totals and its file take it. */
export function listParams(filters: Filters, timezone: string) {
  const { from, to } = daysOfState(filters, timezone);
  const { link, ...texts } = filters.texts;
  const { search, status, partner, keyKind, attributed, kind, reportedBy, undone } = filters;
  return {
    ...(search ? { search } : {}),
    ...(status ? { status } : {}),
    ...(partner ? { partnerId: partner } : {}),
    ...(keyKind ? { keyKind } : {}),
    ...(attributed ? { attributed } : {}),
    ...(kind ? { kind } : {}),
    ...(reportedBy ? { reportedBy } : {}),
    ...(undone ? { undone } : {}),
    ...(link ? { linkId: link } : {}),
    ...texts,
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
  };
}

export const ledgerQuery = (website: Place, filters: Filters, sort: Sort) => {
  const wanted = { ...listParams(filters, website.timezone), ...(sort === DEFAULT_SORT ? {} : { sort }) };
  return cursorQuery({
    queryKey: ['conversions', website.id, wanted, 'ledger'] as const,
    read: (at, signal) =>
      answer(
        api.GET('/api/platform/conversions', {
          params: {
            query: { websiteId: website.id, limit: PAGE, ...wanted, ...at },
          },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
};

export const ledgerFile = (website: Place, filters: Filters, sort: Sort): string =>
  `/api/platform/conversions.csv?${new URLSearchParams({
    websiteId: website.id,
    ...listParams(filters, website.timezone),
    ...(sort === DEFAULT_SORT ? {} : { sort }),
  }).toString()}`;

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

export const decideAdjustment = ({ id, txid }: Pick<Conversion, 'id' | 'txid'>) =>
  command({
    send: (how: 'accept' | 'dismiss') => {
      const call = { params: { path: { id } }, body: {} };
      return how === 'accept'
        ? body(api.POST('/api/platform/conversions/{id}/adjustment/accept', call))
        : body(api.POST('/api/platform/conversions/{id}/adjustment/dismiss', call));
    },
    changes: CONVERSION_READS,
    success: (_, how) => [how === 'accept' ? 'Adjustment accepted' : 'Adjustment dismissed', `Transaction ${txid}`],
    failure: 'Failed to save the decision on the adjustment',
  });

export const statementFile = (websiteId: string, month: string, partnerId: string, kind: 'csv' | 'html'): string =>
  `/api/platform/statements/${partnerId}.${kind}?${new URLSearchParams({ websiteId, month }).toString()}`;
