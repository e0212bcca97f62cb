import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { answer, api, body, done, type Answer } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { components, paths } from '@/lib/api/schema';
import { filterText, isSimple, simpleParam } from '../lib/filter-params';
import type { AnalyticsState } from '../lib/search';
import type { Period } from '../lib/periods';
import { comparisonParams, type Compared, type Comparison, type Range } from '../lib/ranges';

type Schemas = components['schemas'];
type ClicksQuery = paths['/api/platform/analytics/clicks']['get']['parameters']['query'];
export type AnalyticsParams = ClicksQuery & { timeRange: Range; filter?: string[] };

const HALF_A_MINUTE_MS = 30_000;
/** The longer the range, the less a minute changes it. */
const FRESH_MS: Partial<Record<Range, number>> = { '30d': 120_000, '90d': 300_000, '12m': 300_000, all: 300_000 };
const freshMs = (range: Range): number =>
  FRESH_MS[range] ?? (range === '24h' || range === 'today' ? HALF_A_MINUTE_MS : 2 * HALF_A_MINUTE_MS);

/** The range of a call. */
export const periodParams = (period: Period) => ({
  timeRange: period.range,
  ...(period.range === 'custom' && period.from && period.to ? { from: period.from, to: period.to } : {}),
});

export function paramsOf(
  websiteId: string,
  period: Period,
  state: Pick<AnalyticsState, 'filters' | 'bots'>,
): AnalyticsParams {
  return {
    websiteId,
    ...periodParams(period),
    ...(state.bots === 'exclude' ? {} : { bots: state.bots }),
    ...Object.fromEntries(state.filters.filter(isSimple).map((filter) => [filter.dimension, simpleParam(filter)])),
    ...(state.filters.every(isSimple)
      ? {}
      : { filter: state.filters.filter((filter) => !isSimple(filter)).map(filterText) }),
  };
}

export const overviewQuery = (params: AnalyticsParams, compared: Comparison | Compared) => {
  const query = { ...params, ...comparisonParams(compared) };
  return options('overview', query, (signal) =>
    answer(api.GET('/api/platform/analytics/overview', { params: { query }, signal })),
  );
};

export const clicksQuery = (params: AnalyticsParams) =>
  options('clicks', params, (signal) =>
    answer(api.GET('/api/platform/analytics/clicks', { params: { query: params }, signal })),
  );

export const partnerPerformanceQuery = (params: AnalyticsParams) =>
  options('partners', params, (signal) =>
    answer(api.GET('/api/platform/analytics/partners', { params: { query: params }, signal })),
  );

export const geographicQuery = (params: AnalyticsParams) =>
  options('geographic', params, (signal) =>
    answer(api.GET('/api/platform/analytics/geographic', { params: { query: params }, signal })),
  );

export const conversionSeriesQuery = (params: AnalyticsParams) =>
  options('conversions', params, (signal) =>
    answer(api.GET('/api/platform/analytics/conversions', { params: { query: params }, signal })),
  );

export const excludedTrafficQuery = (params: AnalyticsParams) =>
  options('excluded-traffic', params, (signal) =>
    answer(api.GET('/api/platform/analytics/excluded-traffic', { params: { query: params }, signal })),
  );

/** Which of the dimensions that many websites never use have a value in the range. */
export const usedDimensionsQuery = (params: AnalyticsParams) =>
  options('used-dimensions', params, (signal) =>
    answer(api.GET('/api/platform/analytics/used-dimensions', { params: { query: params }, signal })),
  );

export const trafficRulesQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['traffic-rules', websiteId] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/websites/{id}/traffic-rules', { params: { path: { id: websiteId } }, signal })),
  });

export const deliveryQuery = (websiteId: string, period: Period) => {
  const query = {
    websiteId,
    timeRange: period.range,
    ...(period.from && period.to ? { from: period.from, to: period.to } : {}),
  };
  return options('delivery', query, (signal) =>
    answer(api.GET('/api/platform/analytics/delivery', { params: { query }, signal })),
  );
};

/** Refetches all data of this website; current data stays until the response arrives. */
export function refreshWebsite(client: QueryClient, websiteId: string): Promise<unknown> {
  return Promise.all([
    client.invalidateQueries({
      predicate: ({ queryKey }) =>
        queryKey[0] === 'analytics' && (queryKey[2] as AnalyticsParams).websiteId === websiteId,
    }),
    client.invalidateQueries({ queryKey: ['conversions', websiteId] }),
  ]);
}

function options<T, P extends AnalyticsParams>(
  name: string,
  params: P,
  read: (signal: AbortSignal) => Promise<Answer<T>>,
) {
  return queryOptions({
    queryKey: ['analytics', name, params] as const,
    queryFn: ({ signal }) => read(signal),
    staleTime: freshMs(params.timeRange),
    // Previous data stays while new data loads, but never data of another website.
    placeholderData: (previous, query) => (query?.queryKey[2].websiteId === params.websiteId ? previous : undefined),
  });
}

/** Sends a rejected report again; everything may follow from it. */
export const replayReport = (websiteId: string) =>
  command({
    send: (refusalId: string) =>
      body(
        api.POST('/api/platform/websites/{id}/refused-reports/{refusalId}/replay', {
          params: { path: { id: websiteId, refusalId } },
        }),
      ),
    changes: [[]],
    success: ({ isNew, status }) => [
      isNew ? 'Report recorded' : 'Report was already recorded',
      `Status: ${status.replaceAll('_', ' ')}`,
    ],
    failure: 'Failed to replay the report',
  });

export const createTrafficRule = (websiteId: string) =>
  command({
    send: (rule: Schemas['CreateTrafficRule']) =>
      body(api.POST('/api/platform/websites/{id}/traffic-rules', { params: { path: { id: websiteId } }, body: rule })),
    changes: [trafficRulesQuery(websiteId).queryKey],
    success: ['Rule created', 'Reports are rebuilt in the background.'],
  });

export const undoTrafficRule = (websiteId: string) =>
  command({
    send: (ruleId: string) =>
      done(
        api.DELETE('/api/platform/websites/{id}/traffic-rules/{ruleId}', {
          params: { path: { id: websiteId, ruleId } },
        }),
      ),
    changes: [trafficRulesQuery(websiteId).queryKey],
  });
