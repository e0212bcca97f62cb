// The table of all websites: its periods and metrics, and how it is filtered and sorted.
import { formatCount, formatMinor, formatPercent, toMajor } from '@/lib/format';
import type { PeriodTotals, WebsiteSummary, WebsitesSummary } from '../api/summary';

export const PERIODS = [
  { id: 'today', label: 'Today' },
  { id: 'yesterday', label: 'Yesterday' },
  { id: 'last7Days', label: 'Last 7 days' },
  { id: 'last30Days', label: 'Last 30 days' },
] as const;
export type PeriodId = (typeof PERIODS)[number]['id'];

export const METRICS = [
  { id: 'revenue', label: 'Revenue' },
  { id: 'clicks', label: 'Clicks' },
  { id: 'visitors', label: 'Visitors' },
  { id: 'conversions', label: 'Conversions' },
] as const;
export type Metric = (typeof METRICS)[number]['id'];

export type SortBy = 'domain' | PeriodId;
export interface Sort {
  readonly by: SortBy;
  readonly down: boolean;
}

const count = (value: number, one: string) => `${formatCount(value)} ${value === 1 ? one : `${one}s`}`;

/** The number itself. Revenue without a rate stays in its own currency. */
export function mainText(period: PeriodTotals, metric: Metric): string {
  return metric === 'revenue' ? formatMinor(period.converted ?? period.revenue) : formatCount(period[metric]);
}

/** What belongs to it, in small. */
export function detailText(period: PeriodTotals, metric: Metric): string {
  switch (metric) {
    case 'revenue': {
      const own = period.converted && period.converted.currency !== period.revenue.currency;
      const sales = count(period.conversions, 'conversion');
      return own ? `${formatMinor(period.revenue)} · ${sales}` : sales;
    }
    case 'clicks':
      return count(period.visitors, 'visitor');
    case 'visitors':
      return count(period.clicks, 'click');
    case 'conversions':
      return period.clicks > 0 ? `${formatPercent((100 * period.conversions) / period.clicks)} of clicks` : 'no clicks';
  }
}

/** Rows whose domain contains the text. Revenue without a rate cannot be compared and comes last. */
export function arranged(
  rows: readonly WebsiteSummary[],
  search: string,
  sort: Sort,
  metric: Metric,
): readonly WebsiteSummary[] {
  const wanted = search.trim().toLowerCase();
  const sign = sort.down ? -1 : 1;
  const { by } = sort;
  const order = (a: WebsiteSummary, b: WebsiteSummary): number => {
    if (by === 'domain') return sign * a.domain.localeCompare(b.domain);
    const [one, other] = [size(a[by], metric), size(b[by], metric)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * (one - other) || a.domain.localeCompare(b.domain);
  };
  return rows.filter((row) => row.domain.toLowerCase().includes(wanted)).sort(order);
}

function size(period: PeriodTotals, metric: Metric): number | null {
  if (metric !== 'revenue') return period[metric];
  return period.converted && toMajor(period.converted);
}

/** The total of a period as text. */
export function totalText(summary: WebsitesSummary, id: PeriodId, metric: Metric): string {
  const total = summary.totals[id];
  return metric === 'revenue' ? formatMinor(total.revenue) : formatCount(total[metric]);
}
