import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ChartCard, type ChartColumn } from '@/components/charts/chart-card';
import { ChartSpace, Donut } from '@/components/charts/lazy';
import type { Slice } from '@/components/charts/types';
import { cx } from '@/lib/cx';
import { formatCount, formatMoney } from '@/lib/format';
import { countrySlices, OTHER, shareText } from '../lib/countries';
import { FilterButton } from './filter-button';
import { geographicQuery, type AnalyticsParams } from '../api/analytics';

interface Props {
  readonly params: AnalyticsParams;
  readonly currency: string;
  readonly file: string;
  readonly onPick: (country: string) => void;
}

export function GeoCard({ params, currency, file, onPick }: Props) {
  const query = useQuery(geographicQuery(params));
  const data = query.data?.data;
  const slices = useMemo(() => countrySlices(data ?? []), [data]);
  return (
    <ChartCard
      title="Geographic Distribution"
      description="Top 8 countries by clicks. Click to filter the page."
      query={query}
      rows={slices}
      rowKey={(row) => row.name}
      columns={columns(currency, onPick)}
      file={file}
      emptyText="No clicks in this period."
      isEmpty={slices.length === 0}
      frame="h-64"
    >
      <div className="grid items-center gap-4 sm:grid-cols-[minmax(0,1fr)_minmax(0,13rem)]">
        <ChartSpace className="mx-auto h-56 max-w-80 sm:h-64 sm:max-w-none">
          <Donut slices={slices} currency={currency} onPick={onPick} />
        </ChartSpace>
        <ul aria-label="Clicks by country" className="flex flex-col">
          {slices.map((slice) => (
            <li key={slice.name}>
              <LegendEntry slice={slice} onPick={onPick} />
            </li>
          ))}
        </ul>
      </div>
    </ChartCard>
  );
}

function LegendEntry({ slice, onPick }: { readonly slice: Slice; readonly onPick: (country: string) => void }) {
  const { id, name, clicks, color } = slice;
  const content = (
    <>
      <span aria-hidden className="size-2.5 shrink-0 rounded-[3px]" style={{ background: color }} />
      <span className="min-w-0 truncate">
        {id !== OTHER && <span className="sr-only">Filter by</span>} {name}
      </span>{' '}
      <span className="ml-auto pl-3 text-muted tabular">
        {formatCount(clicks)} <span className="sr-only">clicks</span>
      </span>
    </>
  );
  const look = 'flex w-full items-center gap-2.5 rounded-md px-2 py-1 text-left';
  if (id === OTHER) return <span className={look}>{content}</span>;
  return (
    <button type="button" onClick={() => onPick(id)} className={cx(look, 'hover:bg-sunken')}>
      {content}
    </button>
  );
}

function columns(currency: string, onPick: (country: string) => void): ChartColumn<Slice>[] {
  return [
    {
      id: 'name',
      name: 'country',
      header: 'Country',
      cell: ({ id, name }) => (id === OTHER ? name : <FilterButton name={name} onPick={() => onPick(id)} />),
      value: (row) => row.name,
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
      id: 'share',
      name: 'share (%)',
      header: 'Share',
      numeric: true,
      cell: (row) => shareText(row.share),
      value: (row) => Number(row.share.toFixed(2)),
    },
    {
      id: 'revenue',
      name: `revenue (${currency})`,
      header: 'Revenue',
      numeric: true,
      cell: (row) => formatMoney(row.revenue, currency),
      value: (row) => row.revenue,
    },
  ];
}
