import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Client } from 'openapi-fetch';
import { answer, api } from '@/lib/api/client';
import type { Details } from '../lib/search';
import type { Metric } from '../lib/metrics';
import type { AnalyticsParams } from './analytics';

export type Metrics = Readonly<Record<Metric, number | null>>;

export interface BreakdownRow extends Metrics {
  /** By dimension; "" is no value. */
  readonly values: Readonly<Record<string, string>>;
  readonly label: string;
  readonly previous: Metrics | null;
}

export interface Breakdown {
  readonly currency: string;
  readonly by: string[];
  readonly rows: BreakdownRow[];
  /** Of all rows, not of the page. */
  readonly totals: Metrics;
  readonly nextCursor: string | null;
}

export type BreakdownParams = AnalyticsParams & {
  readonly by: string;
  readonly compare?: string;
  readonly sort?: string;
  readonly search?: string;
  readonly limit?: number;
  readonly cursor?: string;
};

interface Paths {
  '/api/platform/analytics/breakdown': {
    get: {
      parameters: { query: BreakdownParams };
      responses: { 200: { content: { 'application/json': Breakdown } } };
    };
  };
}

const reports = api as unknown as Client<Paths>;

const read = (query: BreakdownParams, signal: AbortSignal) =>
  answer(reports.GET('/api/platform/analytics/breakdown', { params: { query }, signal }));

/** The first rows of one dimension: for a card. */
export const breakdownQuery = (params: BreakdownParams) =>
  queryOptions({
    queryKey: ['analytics', 'breakdown', params] as const,
    queryFn: ({ signal }) => read(params, signal),
    staleTime: FRESH_MS,
    // Rows of the same card stay while others load, but never those of another dimension or website.
    placeholderData: (previous, query) => {
      const before = query?.queryKey[2];
      return before?.by === params.by && before.websiteId === params.websiteId ? previous : undefined;
    },
  });

const FRESH_MS = 60_000;
const PAGE = 50;

/** All rows, page by page. */
export const breakdownPagesQuery = (params: BreakdownParams) =>
  infiniteQueryOptions({
    queryKey: ['analytics', 'breakdown-pages', params] as const,
    queryFn: ({ pageParam, signal }) =>
      read({ ...params, limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) }, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.data.nextCursor,
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
