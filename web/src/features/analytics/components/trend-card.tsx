import { useMemo } from 'react';
import { ChartCard, type ChartColumn } from '@/components/charts/chart-card';
import { ChartSpace, TrendChart } from '@/components/charts/lazy';
import type { TrendPoint } from '@/components/charts/types';
import { Button } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import type { Website } from '@/lib/api/types';
import { formatCount, formatMoney } from '@/lib/format';
import { useIsPhone } from '@/lib/browser/media';
import { COMPARISON_LABELS, RANGE_LABELS, fileName, tickDates, trendPoints, type Period } from '../lib/periods';
import { useSeries } from '../hooks/use-series';
import { CHART_RANGES, type AnalyticsState, type ChartRange } from '../lib/search';

interface Props {
  readonly website: Website;
  readonly state: AnalyticsState;
  readonly onChange: (state: AnalyticsState) => void;
}

export function TrendCard({ website, state, onChange }: Props) {
  const phone = useIsPhone();
  const { timezone, currency } = website;
  const period: Period = state.chart ? { range: state.chart, from: null, to: null } : state;
  const { query, points, earlierPoints, compared, compare, partial } = useSeries(website, state, period);
  // The chart is drawn again only when what it shows has changed: drawing is the dearest work of the page.
  const { range, from, to } = period;
  const rows = useMemo(
    () => trendPoints({ range, from, to }, points, earlierPoints, compared, timezone),
    [range, from, to, points, earlierPoints, compared, timezone],
  );
  const ticks = useMemo(() => tickDates(rows, timezone), [rows, timezone]);
  return (
    <ChartCard
      title="Revenue Trends"
      description={
        partial
          ? 'Revenue (left) and conversions (right). Dashed: current day, not complete.'
          : 'Revenue (left) and conversions (right)'
      }
      controls={
        <>
          {state.chart && (
            <Button size="sm" variant="ghost" onClick={() => onChange({ ...state, chart: null })}>
              Same as page
            </Button>
          )}
          <Select
            label="Chart range"
            className="h-8 text-[0.8125rem]"
            value={state.chart ?? 'page'}
            onChange={(event) =>
              onChange({ ...state, chart: event.target.value === 'page' ? null : (event.target.value as ChartRange) })
            }
          >
            <option value="page">Same as page</option>
            {CHART_RANGES.map((range) => (
              <option key={range} value={range}>
                {RANGE_LABELS[range]}
              </option>
            ))}
          </Select>
        </>
      }
      query={query}
      rows={rows}
      rowKey={(row) => row.date}
      columns={columns(currency, state.compare !== 'none')}
      file={fileName(website.domain, period, 'revenue-trends')}
      emptyText="No revenue and no conversions in this period."
      isEmpty={rows.every((row) => row.revenue === 0 && row.conversions === 0 && !row.previousRevenue)}
      frame="h-64"
    >
      <ChartSpace className="h-64">
        <TrendChart
          key={`${range}${from ?? ''}${to ?? ''}`}
          points={rows}
          ticks={ticks}
          currency={currency}
          partial={partial}
          comparison={compare === 'none' ? null : COMPARISON_LABELS[compare]}
          compact={phone}
        />
      </ChartSpace>
    </ChartCard>
  );
}

function columns(currency: string, compared: boolean): ChartColumn<TrendPoint>[] {
  const list: ChartColumn<TrendPoint>[] = [
    {
      id: 'date',
      name: 'date',
      header: 'Time',
      cell: (row) => row.label,
      value: (row) => row.date,
      className: 'whitespace-nowrap',
    },
    {
      id: 'revenue',
      name: `revenue (${currency})`,
      header: 'Revenue',
      numeric: true,
      cell: (row) => formatMoney(row.revenue, currency),
      value: (row) => row.revenue,
    },
    {
      id: 'conversions',
      name: 'conversions',
      header: 'Conversions',
      numeric: true,
      cell: (row) => formatCount(row.conversions),
      value: (row) => row.conversions,
    },
  ];
  if (compared) {
    list.push({
      id: 'previous',
      name: `revenue, previous period (${currency})`,
      header: 'Revenue (previous period)',
      numeric: true,
      cell: (row) => (row.previousRevenue === null ? '–' : formatMoney(row.previousRevenue, currency)),
      value: (row) => row.previousRevenue,
    });
  }
  return list;
}
