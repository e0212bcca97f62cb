// Buckets of a range, their axis labels, and the earlier buckets for comparison.
import type { ClickPoint } from '@/lib/api/types';
import type { TrendPoint } from '@/components/charts/types';
import { daysBetween, formatIn, wallClock, type Bucket } from '@/lib/dates';
import type { Days, Range } from './ranges';

export { COMPARISON_LABELS, RANGE_LABELS } from './ranges';

export interface Period {
  readonly range: Range;
  readonly from: string | null;
  readonly to: string | null;
}

/** A range as the API came to understand it: dates, or the first and the last hour. */
export interface ShownRange {
  readonly from: string;
  readonly to: string;
}

/** File name of a download, unique per website and range: "althing-shop.is-7d-countries". */
export function fileName(domain: string, period: Period, part: string): string {
  const range = period.range === 'custom' && period.from && period.to ? `${period.from}-to-${period.to}` : period.range;
  return `althing-${domain}-${range}-${part}`;
}

/** How long the buckets are. Of a range that does not say so by its name, the points do. */
export function bucketOf(period: Period, points: readonly { readonly date: string }[] = []): Bucket {
  if (HOURLY.includes(period.range)) return 'hour';
  if (DAILY.includes(period.range)) return 'day';
  if (period.range === 'custom' && period.from && period.to) return bucketOfDays(daysBetween(period.from, period.to));
  const [first, second, third] = points;
  if (first && first.date.length > 10) return 'hour';
  if (!first || !second) return 'day';
  // The first month may be cut to one day.
  return daysBetween(third ? second.date : first.date, (third ?? second).date) > 2 ? 'month' : 'day';
}

const HOURLY: readonly Range[] = ['24h', 'today', 'yesterday'];
const DAILY: readonly Range[] = ['7d', '14d', '30d', '90d', 'last_week', 'last_month', 'last_quarter'];
const bucketOfDays = (days: number): Bucket => (days <= 2 ? 'hour' : days <= 180 ? 'day' : 'month');

/** The days to request, so that the response contains every bucket of the comparison range. */
export function comparedDays(compared: ShownRange | null | undefined): Days | null {
  return compared ? { from: compared.from.slice(0, 10), to: compared.to.slice(0, 10) } : null;
}

/** `before`: the buckets of `comparedDays`, of which `compared` says where to begin; null shows no comparison. */
export function trendPoints(
  period: Period,
  points: readonly ClickPoint[],
  before: readonly ClickPoint[],
  compared: ShownRange | null,
  timezone: string,
): TrendPoint[] {
  const bucket = bucketOf(period, points);
  const aligned = compared && sameKind(before, points) ? since(before, compared.from, timezone) : [];
  const tick = tickOptions(period, points);
  const label = labelOptions(bucket);
  return points.map((point, index) => {
    const earlier = aligned[index];
    return {
      date: point.date,
      tick: formatIn(point.date, timezone, tick),
      label: formatIn(point.date, timezone, label),
      revenue: point.revenue,
      conversions: point.conversions,
      previousRevenue: earlier?.revenue ?? null,
      previousLabel: earlier ? formatIn(earlier.date, timezone, label) : null,
    };
  });
}

/** Hours are not compared with days. */
const sameKind = (one: readonly ClickPoint[], other: readonly ClickPoint[]): boolean =>
  (one[0]?.date.length ?? 0) > 10 === (other[0]?.date.length ?? 0) > 10;

/** The points from a date, or from a local time, on. */
function since(points: readonly ClickPoint[], start: string, timezone: string): readonly ClickPoint[] {
  const first = wallClock(start, timezone);
  const offset = points.findIndex((point) => wallClock(point.date, timezone) >= first);
  return offset < 0 ? [] : points.slice(offset);
}

/** For month names under daily buckets: only the first day of each month gets a label. */
export function tickDates(points: readonly TrendPoint[], timezone: string): string[] {
  const dates = points.map((point) => point.date);
  const months = points.length > 62 && bucketLength(dates, timezone) < 20;
  if (!months) return dates;
  const starts = dates.filter((date) => wallClock(date, timezone).slice(8, 10) === '01');
  return starts.length > 0 ? starts : dates.slice(0, 1);
}

/** Is the last bucket the one that is filling now? */
export function isPartial(
  period: Period,
  points: readonly { readonly date: string }[],
  timezone: string,
  now: Date,
): boolean {
  const last = points.at(-1);
  if (!last) return false;
  const length = { hour: 13, day: 10, month: 7 }[bucketOf(period, points)];
  return wallClock(last.date, timezone).slice(0, length) === wallClock(now.toISOString(), timezone).slice(0, length);
}

/** The buckets that are over. */
export function finished(
  period: Period,
  points: readonly ClickPoint[],
  timezone: string,
  now: Date,
): readonly ClickPoint[] {
  return isPartial(period, points, timezone, now) ? points.slice(0, -1) : points;
}

function tickOptions(period: Period, points: readonly { readonly date: string }[]): Intl.DateTimeFormatOptions {
  const bucket = bucketOf(period, points);
  if (bucket === 'hour') return { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  if (bucket === 'month' || period.range === '90d') return { month: 'short' };
  if (period.range === '30d') return { month: 'short', day: 'numeric' };
  if (points.length <= 7) return { weekday: 'short' };
  return points.length <= 62 ? { month: 'short', day: 'numeric' } : { month: 'short' };
}

function labelOptions(bucket: Bucket): Intl.DateTimeFormatOptions {
  if (bucket === 'month') return { month: 'long', year: 'numeric' };
  const day = { weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' } as const;
  return bucket === 'day'
    ? day
    : { weekday: 'short', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
}

function bucketLength(dates: readonly string[], timezone: string): number {
  const [first, second] = dates;
  return first && second
    ? daysBetween(wallClock(first, timezone).slice(0, 10), wallClock(second, timezone).slice(0, 10))
    : 0;
}
