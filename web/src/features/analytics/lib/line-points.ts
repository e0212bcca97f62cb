// The points of the main chart: one metric of each bucket, beside the bucket it is compared with.
import type { LinePoint } from '@/components/charts/line-chart';
import type { ClickPoint } from '@/lib/api/types';
import type { ChartMetric } from './metrics';
import { tickDates, trendPoints, type Period, type ShownRange } from './periods';

/** Null where nothing can be divided by. */
export function valueAt(metric: ChartMetric, point: ClickPoint): number | null {
  switch (metric) {
    case 'epc':
      return point.clicks > 0 ? point.revenue / point.clicks : null;
    case 'conversion_rate':
      return point.clicks > 0 ? (point.conversions / point.clicks) * 100 : null;
    default:
      return point[metric];
  }
}

export function linePoints(
  metric: ChartMetric,
  period: Period,
  points: readonly ClickPoint[],
  before: readonly ClickPoint[],
  compared: ShownRange | null,
  timezone: string,
): LinePoint[] {
  // `trendPoints` aligns the two periods by the field `revenue`, whatever it holds.
  const valued = (items: readonly ClickPoint[]) =>
    items.map((point) => ({ ...point, revenue: valueAt(metric, point) ?? Number.NaN }));
  const rows = trendPoints(period, valued(points), valued(before), compared, timezone);
  const written = new Set(tickDates(rows, timezone));
  return rows.map((row) => ({
    key: row.date,
    tick: written.has(row.date) ? row.tick : null,
    label: row.label,
    value: orNull(row.revenue),
    previous: orNull(row.previousRevenue),
    previousLabel: row.previousLabel,
  }));
}

const orNull = (value: number | null): number | null => (value === null || Number.isNaN(value) ? null : value);
