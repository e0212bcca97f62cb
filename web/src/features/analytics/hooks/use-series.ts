import { useQuery } from '@tanstack/react-query';
import type { ClickPoint, Website } from '@/lib/api/types';
import { clicksQuery, paramsOf } from '../api/analytics';
import { comparedRange, isPartial, type Period } from '../lib/periods';
import type { AnalyticsState } from '../lib/search';

const NONE: readonly ClickPoint[] = [];

/** The series of a period and of the one it is compared with; `compare` is "none" until that has come. */
export function useSeries(website: Website, state: AnalyticsState, period: Period) {
  const query = useQuery(clicksQuery(paramsOf(website.id, period, state)));
  const points = query.data?.data ?? NONE;
  const earlier = query.isPlaceholderData ? null : comparedRange(period, points, state.compare, website.timezone);
  const before = useQuery({
    ...clicksQuery(
      paramsOf(website.id, { range: 'custom', from: earlier?.from ?? null, to: earlier?.to ?? null }, state),
    ),
    enabled: earlier !== null,
  });
  const compared = earlier !== null && before.data !== undefined && !before.isPlaceholderData;
  return {
    query,
    points,
    earlierPoints: compared ? before.data.data : NONE,
    compare: compared ? state.compare : ('none' as const),
    partial: isPartial(period, points, website.timezone, new Date()),
  };
}
