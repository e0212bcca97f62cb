import { countryName } from '@/lib/labels/countries';
import { formatPercent } from '@/lib/format';
import type { CountryPerformance } from '@/lib/api/types';
import type { Slice } from '@/components/charts/types';

export const TOP_COUNTRIES = 8;

/** Of what is in no country of its own: it cannot be filtered by. */
export const OTHER = '';

/** The top countries by clicks, and all others together: the shares are those of a whole ring. */
export function countrySlices(countries: readonly CountryPerformance[]): Slice[] {
  const sorted = countries.filter((item) => item.clicks > 0).toSorted((a, b) => b.clicks - a.clicks);
  const total = sorted.reduce((sum, item) => sum + item.clicks, 0);
  const top = sorted.slice(0, TOP_COUNTRIES).map((item, index) => ({
    id: item.country,
    name: item.countryName || countryName(item.country),
    clicks: item.clicks,
    revenue: item.revenue,
    share: (item.clicks / total) * 100,
    color: `var(--c-chart-${index + 1})`,
  }));
  const rest = sorted.slice(TOP_COUNTRIES);
  if (rest.length === 0) return top;
  const clicks = rest.reduce((sum, item) => sum + item.clicks, 0);
  const revenue = rest.reduce((sum, item) => sum + item.revenue, 0);
  const color = 'var(--c-line-strong)';
  return [...top, { id: OTHER, name: 'Other', clicks, revenue, share: (clicks / total) * 100, color }];
}

export const shareText = (share: number): string => formatPercent(share, 1);
