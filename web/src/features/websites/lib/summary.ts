// The table of all websites: its periods and metrics, and how it is filtered and sorted.
import { formatDay, formatIn } from '@/lib/dates';
import { countOf, formatCount, formatMinor, formatPercent, toMajor } from '@/lib/format';
import type { Money } from '@/lib/api/types';
import type { NotConverted, PeriodTotals, WebsiteSummary, WebsitesSummary } from '../api/summary';

export const PERIODS = [
  { id: 'today', label: 'Today' },
  { id: 'yesterday', label: 'Yesterday' },
  { id: 'week', label: 'This week' },
  { id: 'month', label: 'This month' },
  { id: 'quarter', label: 'This quarter' },
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

/** Visitors of a quarter are not counted. */
const countText = (value: number | null): string => (value === null ? '–' : formatCount(value));

/** The number itself. Revenue without a rate stays in its own currency. */
export function mainText(period: PeriodTotals, metric: Metric): string {
  if (metric === 'revenue') return formatMinor(period.converted ?? period.revenue);
  return countText(period[metric]);
}

/** What belongs to it, in small. */
export function detailText(period: PeriodTotals, metric: Metric): string {
  switch (metric) {
    case 'revenue': {
      const own = period.converted && period.converted.currency !== period.revenue.currency;
      const sales = countOf(period.conversions, 'conversion');
      return own ? formatMinor(period.revenue) : sales;
    }
    case 'clicks':
      return period.visitors === null ? '' : countOf(period.visitors, 'visitor');
    case 'visitors':
      return countOf(period.clicks, 'click');
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
  return metric === 'revenue' ? formatMinor(total.revenue) : countText(total[metric]);
}

/** "+$12.00" or "−$12.00". */
export const signedText = ({ amount, currency }: Money): string =>
  `${amount > 0 ? '+' : amount < 0 ? '−' : '±'}${formatMinor({ amount: Math.abs(amount), currency })}`;

/** The days that a period is compared with: "Sunday, Nov 22" or "Nov 1 – Nov 23". */
export function comparedText(from: string, to: string): string {
  if (from === to) return formatIn(from, 'UTC', { weekday: 'long', month: 'short', day: 'numeric' });
  const day = (date: string) => formatIn(date, 'UTC', { month: 'short', day: 'numeric' });
  return `${day(from)} – ${day(to)}`;
}

/** What of a total is in no sum, and since when it has no rate. */
export const lackingText = ({ amount, conversions, lacking }: NotConverted): string =>
  `${formatMinor(amount)} of ${countOf(conversions, 'conversion')}: no exchange rate on ${formatDay(lacking)}`;
