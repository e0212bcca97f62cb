import { useQuery } from '@tanstack/react-query';
import type { ClickPoint, Website } from '@/lib/api/types';
import { clicksQuery, overviewQuery, paramsOf } from '../api/analytics';
import { comparedDays, isPartial, type Period } from '../lib/periods';
import type { AnalyticsState } from '../lib/search';

const NONE: readonly ClickPoint[] = [];

/** The series of a period and of the one it is compared with; `compare` is "none" until that has come. */
export function useSeries(website: Website, state: AnalyticsState, period: Period) {
  const params = paramsOf(website.id, period, state);
  const query = useQuery(clicksQuery(params));
  const overview = useQuery(overviewQuery(params, state));
  const points = query.data?.data ?? NONE;
  const found = query.isPlaceholderData || overview.isPlaceholderData ? undefined : overview.data?.data;
  const span = (found?.previousHasData && found.previousRange) || null;
  const earlier = comparedDays(span);
  const before = useQuery({
    ...clicksQuery(
      paramsOf(website.id, { range: 'custom', from: earlier?.from ?? null, to: earlier?.to ?? null }, state),
    ),
    enabled: earlier !== null,
  });
  const isCompared = earlier !== null && before.data !== undefined && !before.isPlaceholderData;
  return {
    query,
    points,
    earlierPoints: isCompared ? before.data.data : NONE,
    compared: isCompared ? span : null,
    compare: isCompared ? state.compare : ('none' as const),
    partial: isPartial(period, points, website.timezone, new Date()),
  };
}
