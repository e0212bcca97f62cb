// From a number to its events: what it counts, and in which days.
import type { EventsOf } from '../api/events';
import type { Metric } from './metrics';
import { bucketOf, type Period } from './periods';
import type { Filter } from './search';

/** The events that a metric is calculated from. */
export function eventsOf(metric: Metric): EventsOf {
  switch (metric) {
    case 'clicks':
      return 'clicks';
    case 'pageviews':
      return 'pageviews';
    case 'conversions':
    case 'revenue':
    case 'epc':
    case 'conversion_rate':
    case 'revenue_per_1000_visits':
      return 'conversions';
    default:
      return 'everything';
  }
}

export interface EventsRequest {
  readonly title: string;
  readonly of: EventsOf;
  readonly period: Period;
  readonly filters: readonly Filter[];
}

/** The days of a bucket; of an hour its day, which is the shortest range that events are listed for. */
export function bucketDays(period: Period, date: string, points: readonly { readonly date: string }[] = []): Period {
  const day = date.slice(0, 10);
  if (bucketOf(period, points) !== 'month') return { range: 'custom', from: day, to: day };
  const [year = 0, month = 1] = day.split('-').map(Number);
  const last = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
  const until = period.to && period.to < last ? period.to : last;
  const since = period.from && period.from > day ? period.from : day;
  return { range: 'custom', from: since, to: until };
}
