// Buckets of a range, their axis labels, and the earlier buckets for comparison.
import type { ClickPoint } from '@/lib/api/types';
import type { TrendPoint } from '@/components/charts/types';
import { addDays, addYears, daysBetween, formatIn, wallClock, type Bucket } from '@/lib/dates';
import type { ChartRange, Comparison, Range } from './search';

export interface Period {
  readonly range: Range | ChartRange;
  readonly from: string | null;
  readonly to: string | null;
}

export interface DayRange {
  readonly from: string;
  readonly to: string;
}

const HOUR_MS = 3_600_000;

export const RANGE_LABELS: Record<Range | ChartRange, string> = {
  '24h': 'Last 24h',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  custom: 'Custom Range',
};

export const COMPARISON_LABELS: Record<Comparison, string> = {
  previous: 'previous period',
  year: 'year before',
  none: 'no comparison',
};

/** File name of a download, unique per website and range: "althing-shop.is-7d-countries". */
export function fileName(domain: string, period: Period, part: string): string {
  const range = period.range === 'custom' && period.from && period.to ? `${period.from}-to-${period.to}` : period.range;
  return `althing-${domain}-${range}-${part}`;
}

export function bucketOf(period: Period): Bucket {
  if (period.range === '24h') return 'hour';
  if (period.range !== 'custom' || !period.from || !period.to) return 'day';
  const days = daysBetween(period.from, period.to);
  return days <= 2 ? 'hour' : days <= 180 ? 'day' : 'month';
}

/** The dates to request, so that the response contains every bucket for comparison. */
export function comparedRange(
  period: Period,
  points: readonly ClickPoint[],
  compare: Comparison,
  timezone: string,
): DayRange | null {
  const first = points[0];
  const last = points.at(-1);
  if (compare === 'none' || !first || !last) return null;
  if (bucketOf(period) === 'hour') {
    const start = comparedStart(wallClock(first.date, timezone), points.length, compare);
    return { from: start.slice(0, 10), to: addHours(start, points.length - 1).slice(0, 10) };
  }
  const from = period.from ?? wallClock(first.date, timezone).slice(0, 10);
  const to = period.to ?? wallClock(last.date, timezone).slice(0, 10);
  if (compare === 'year') return { from: addYears(from, -1), to: addYears(to, -1) };
  return { from: addDays(from, -daysBetween(from, to)), to: addDays(from, -1) };
}

export function trendPoints(
  period: Period,
  points: readonly ClickPoint[],
  before: readonly ClickPoint[],
  compare: Comparison,
  timezone: string,
): TrendPoint[] {
  const aligned = bucketOf(period) === 'hour' ? alignHours(points, before, compare, timezone) : before;
  const tick = tickOptions(period);
  const label = labelOptions(bucketOf(period));
  return points.map((point, index) => {
    const earlier = compare === 'none' ? undefined : aligned[index];
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
  const length = { hour: 13, day: 10, month: 7 }[bucketOf(period)];
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

function tickOptions(period: Period): Intl.DateTimeFormatOptions {
  const bucket = bucketOf(period);
  if (bucket === 'hour') return { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  if (period.range === '7d') return { weekday: 'short' };
  if (period.range === '30d') return { month: 'short', day: 'numeric' };
  if (period.range === 'custom' && bucket === 'day' && period.from && period.to) {
    const days = daysBetween(period.from, period.to);
    if (days <= 7) return { weekday: 'short' };
    if (days <= 62) return { month: 'short', day: 'numeric' };
  }
  return { month: 'short' };
}

function labelOptions(bucket: Bucket): Intl.DateTimeFormatOptions {
  if (bucket === 'month') return { month: 'long', year: 'numeric' };
  const day = { weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' } as const;
  return bucket === 'day'
    ? day
    : { weekday: 'short', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
}

function alignHours(
  points: readonly ClickPoint[],
  before: readonly ClickPoint[],
  compare: Comparison,
  timezone: string,
): readonly ClickPoint[] {
  const first = points[0];
  if (!first) return [];
  const start = comparedStart(wallClock(first.date, timezone), points.length, compare);
  const offset = before.findIndex((point) => wallClock(point.date, timezone) >= start);
  return offset < 0 ? [] : before.slice(offset, offset + points.length);
}

function comparedStart(firstWall: string, count: number, compare: Comparison): string {
  return compare === 'year'
    ? `${addYears(firstWall.slice(0, 10), -1)}${firstWall.slice(10)}`
    : addHours(firstWall, -count);
}

function addHours(wall: string, hours: number): string {
  return new Date(Date.parse(`${wall}:00Z`) + hours * HOUR_MS).toISOString().slice(0, 16);
}

function bucketLength(dates: readonly string[], timezone: string): number {
  const [first, second] = dates;
  return first && second
    ? daysBetween(wallClock(first, timezone).slice(0, 10), wallClock(second, timezone).slice(0, 10))
    : 0;
}
