import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ChartCard, type ChartColumn } from '@/components/charts/chart-card';
import { ChartSpace, PartnerChart } from '@/components/charts/lazy';
import type { PartnerPerformance } from '@/lib/api/types';
import { formatCount, formatMoney, formatPercent } from '@/lib/format';
import { useIsPhone } from '@/lib/browser/media';
import { FilterButton } from './filter-button';
import { partnerPerformanceQuery, type AnalyticsParams } from '../api/analytics';

const TOP_PARTNERS = 10;

interface Props {
  readonly params: AnalyticsParams;
  readonly currency: string;
  readonly file: string;
  readonly onPick: (partnerId: string) => void;
}

export function PartnerCard({ params, currency, file, onPick }: Props) {
  const phone = useIsPhone();
  const query = useQuery(partnerPerformanceQuery(params));
  const data = query.data?.data;
  const rows = useMemo(() => (data ?? []).slice(0, TOP_PARTNERS), [data]);
  const bars = useMemo(
    () =>
      rows.map((row) => ({
        id: row.partnerId,
        name: row.partnerName,
        revenue: row.revenue,
        conversions: row.conversions,
      })),
    [rows],
  );
  const height = phone ? (PHONE_HEIGHTS[bars.length] ?? 'h-[31rem]') : 'h-64';
  return (
    <ChartCard
      title="Top Partner Performance"
      description="Top 10 by revenue. Click a bar to filter the page."
      query={query}
      rows={rows}
      rowKey={(row) => row.partnerId}
      columns={columns(currency, onPick)}
      file={file}
      emptyText="No partner had a click or conversion in this period."
      isEmpty={rows.length === 0}
      frame="h-64"
    >
      <ChartSpace className={height}>
        <PartnerChart bars={bars} currency={currency} compact={phone} onPick={onPick} />
      </ChartSpace>
    </ChartCard>
  );
}

const PHONE_HEIGHTS: Readonly<Record<number, string>> = {
  1: 'h-32',
  2: 'h-44',
  3: 'h-56',
  4: 'h-64',
  5: 'h-72',
  6: 'h-80',
  7: 'h-96',
  8: 'h-[26rem]',
};

function columns(currency: string, onPick: (id: string) => void): ChartColumn<PartnerPerformance>[] {
  const money = (value: number) => formatMoney(value, currency);
  return [
    {
      id: 'name',
      name: 'partner',
      header: 'Partner',
      cell: (row) => <FilterButton name={row.partnerName} onPick={() => onPick(row.partnerId)} />,
      value: (row) => row.partnerName,
    },
    {
      id: 'clicks',
      name: 'clicks',
      header: 'Clicks',
      numeric: true,
      cell: (row) => formatCount(row.clicks),
      value: (row) => row.clicks,
    },
    {
      id: 'conversions',
      name: 'conversions',
      header: 'Conversions',
      numeric: true,
      cell: (row) => formatCount(row.conversions),
      value: (row) => row.conversions,
    },
    {
      id: 'revenue',
      name: `revenue (${currency})`,
      header: 'Revenue',
      numeric: true,
      cell: (row) => money(row.revenue),
      value: (row) => row.revenue,
    },
    {
      id: 'epc',
      name: `earnings per click (${currency})`,
      header: 'EPC',
      numeric: true,
      cell: (row) => money(row.epc),
      value: (row) => row.epc,
    },
    {
      id: 'rate',
      name: 'conversion rate (%)',
      header: 'Rate',
      numeric: true,
      cell: (row) => formatPercent(row.conversion_rate),
      value: (row) => row.conversion_rate,
    },
  ];
}
