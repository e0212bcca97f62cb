import { countryName } from '@/lib/countries';
import { formatPercent } from '@/lib/format';
import type { CountryPerformance } from '@/lib/api/types';
import type { Slice } from '@/components/charts/types';

export const TOP_COUNTRIES = 8;

/** The top countries by clicks. Shares are of all clicks, those of further and unknown countries included. */
export function countrySlices(countries: readonly CountryPerformance[]): Slice[] {
  const sorted = countries.filter((item) => item.clicks > 0).toSorted((a, b) => b.clicks - a.clicks);
  const total = sorted.reduce((sum, item) => sum + item.clicks, 0);
  return sorted.slice(0, TOP_COUNTRIES).map((item, index) => ({
    id: item.country,
    name: item.countryName || countryName(item.country),
    clicks: item.clicks,
    revenue: item.revenue,
    share: (item.clicks / total) * 100,
    color: `var(--c-chart-${index + 1})`,
  }));
}

export const shareText = (share: number): string => formatPercent(share, 1);
