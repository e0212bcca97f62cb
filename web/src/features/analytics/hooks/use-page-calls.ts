import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import {
  clicksQuery,
  conversionSeriesQuery,
  geographicQuery,
  overviewQuery,
  partnerPerformanceQuery,
  type AnalyticsParams,
} from '../api/analytics';
import type { Compared } from '../lib/ranges';

/** The page's five calls, which begin together: they travel in one request. */
export function readPage(client: QueryClient, params: AnalyticsParams, compared: Compared): void {
  void client.prefetchQuery(overviewQuery(params, compared));
  void client.prefetchQuery(clicksQuery(params));
  void client.prefetchQuery(conversionSeriesQuery(params));
  void client.prefetchQuery(partnerPerformanceQuery(params));
  void client.prefetchQuery(geographicQuery(params));
}

/** The calls of the charts at the end of the page begin with the others, on each change. */
export function usePageCalls(params: AnalyticsParams, compared: Compared): void {
  const client = useQueryClient();
  const key = JSON.stringify([
    params,
    compared.compare,
    compared.compareFrom,
    compared.compareTo,
    compared.matchWeekdays,
  ]);
  useEffect(() => {
    readPage(client, params, compared);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- both are new objects each time; the key identifies them
  }, [client, key]);
}
