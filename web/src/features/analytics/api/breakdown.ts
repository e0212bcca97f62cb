import { queryOptions } from '@tanstack/react-query';
import { answer, api } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import type { components } from '@/lib/api/schema';
import type { Details } from '../lib/search';
import type { Comparison } from '../lib/ranges';
import type { AnalyticsParams } from './analytics';

type Schemas = components['schemas'];
export type Breakdown = Schemas['Breakdown'];
export type BreakdownRow = Schemas['BreakdownRow'];
export type Metrics = Schemas['ReportMetrics'];

export type BreakdownParams = AnalyticsParams & {
  readonly by: string;
  readonly compare?: Comparison;
  /** Empty: all. */
  readonly metrics?: string;
  readonly sort?: string;
  readonly search?: string;
  readonly limit?: number;
  readonly cursor?: string;
};

const read = (query: BreakdownParams, signal: AbortSignal) =>
  answer(api.GET('/api/platform/analytics/breakdown', { params: { query }, signal }));

/** The first rows of one dimension: for a card. */
export const breakdownQuery = (params: BreakdownParams) =>
  queryOptions({
    queryKey: ['analytics', 'breakdown', params] as const,
    queryFn: ({ signal }) => read(params, signal),
    staleTime: FRESH_MS,
    // Rows of the same card stay while others load, but never those of another dimension or website, or without the
    // metrics that are shown.
    placeholderData: (previous, query) => {
      const before = query?.queryKey[2];
      const same = before?.by === params.by && before.websiteId === params.websiteId;
      return same && before.metrics === params.metrics ? previous : undefined;
    },
  });

const FRESH_MS = 60_000;
const PAGE = 50;

/** All rows, page by page. */
export const breakdownPagesQuery = (params: BreakdownParams) =>
  cursorQuery({
    queryKey: ['analytics', 'breakdown-pages', params] as const,
    read: async (at, signal) => {
      const page = await read({ ...params, limit: PAGE, ...at }, signal);
      const { rows, nextCursor, ...report } = page.data;
      return { ...page, data: rows, nextCursor, report };
    },
    staleTime: FRESH_MS,
    placeholderData: (previous, query) => {
      const before = query?.queryKey[2];
      return before?.by === params.by && before.websiteId === params.websiteId ? previous : undefined;
    },
  });

/** The address of the same rows as a file. */
export function csvAddress(params: BreakdownParams): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const item of Array.isArray(value) ? (value as string[]) : [String(value)]) query.append(name, item);
  }
  return `/api/platform/analytics/breakdown.csv?${query.toString()}`;
}

export const byText = (details: Details): string => details.join(',');
