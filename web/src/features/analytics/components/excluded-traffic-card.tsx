import { useQuery } from '@tanstack/react-query';
import { useNear } from '@/components/data/below';
import { useState } from 'react';
import { ChartCard, type ChartColumn } from '@/components/charts/chart-card';
import { Button } from '@/components/ui/button';
import type { ExcludedTraffic, Website } from '@/lib/api/types';
import { formatCount } from '@/lib/format';
import { reasonName } from '@/lib/labels/traffic-reasons';
import { FilterButton } from './filter-button';
import { excludedTrafficQuery, type AnalyticsParams } from '../api/analytics';
import { RemarkDialog } from './remark';
import type { Filter } from '../lib/search';

interface Props {
  readonly website: Website;
  readonly filters: readonly Filter[];
  readonly params: AnalyticsParams;
  readonly file: string;
  readonly className?: string;
  readonly onPick: (reason: string) => void;
}

const KINDS = [
  { kind: 'suspicious', label: 'Suspicious', color: 'var(--c-chart-3)' },
  { kind: 'bot', label: 'Bots', color: 'var(--c-chart-5)' },
] as const;

/** Excluded traffic and its reasons. */
export function ExcludedTrafficCard({ website, filters, params, file, className, onPick }: Props) {
  const query = useQuery({ ...excludedTrafficQuery(params), enabled: useNear() });
  const rows = query.data?.data ?? [];
  const [remarking, setRemarking] = useState(false);
  return (
    <>
      <ChartCard
        title="Excluded traffic"
        description={
          <>
            Recorded but not counted: bots, and clicks and visitors that are probably fake. Click a reason to filter the
            page. Data center addresses: Route Views, NRO,{' '}
            <a className="underline" href="https://db-ip.com" rel="noreferrer">
              IP Geolocation by DB-IP
            </a>
            .
          </>
        }
        {...(className ? { className } : {})}
        query={query}
        rows={rows}
        rowKey={(row) => row.reason}
        columns={columns(onPick)}
        file={file}
        emptyText="No excluded traffic in this period."
        isEmpty={rows.length === 0}
        frame="min-h-32"
        controls={
          <Button size="sm" onClick={() => setRemarking(true)}>
            Reclassify…
          </Button>
        }
      >
        <div className="grid gap-6 sm:grid-cols-2">
          {KINDS.map(({ kind, label, color }) => (
            <Kind
              key={kind}
              label={label}
              color={color}
              rows={rows.filter((row) => row.kind === kind)}
              onPick={onPick}
            />
          ))}
        </div>
      </ChartCard>
      {remarking && <RemarkDialog website={website} filters={filters} onClose={() => setRemarking(false)} />}
    </>
  );
}

interface KindProps {
  readonly label: string;
  readonly color: string;
  readonly rows: readonly ExcludedTraffic[];
  readonly onPick: (reason: string) => void;
}

function Kind({ label, color, rows, onPick }: KindProps) {
  return (
    <section aria-label={label}>
      <h3 className="flex items-center gap-2.5 font-medium">
        <span aria-hidden className="size-2.5 shrink-0 rounded-[3px]" style={{ background: color }} />
        {label}
        <span className="ml-auto tabular">{formatCount(rows.reduce((sum, row) => sum + row.events, 0))} events</span>
      </h3>
      <ul className="mt-2 flex flex-col gap-1">
        {rows.map((row) => (
          <li key={row.reason} className="flex items-baseline gap-3">
            <FilterButton name={reasonName(row.reason)} onPick={() => onPick(row.reason)} />
            <span className="ml-auto shrink-0 text-muted tabular">{formatCount(row.clicks)} clicks</span>
            <span className="w-14 shrink-0 text-right tabular sm:w-20">{formatCount(row.events)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function columns(onPick: (reason: string) => void): ChartColumn<ExcludedTraffic>[] {
  return [
    {
      id: 'reason',
      name: 'reason',
      header: 'Reason',
      cell: (row) => <FilterButton name={reasonName(row.reason)} onPick={() => onPick(row.reason)} />,
      value: (row) => row.reason,
    },
    {
      id: 'kind',
      name: 'kind',
      header: 'Kind',
      cell: (row) => (row.kind === 'bot' ? 'Bot' : 'Suspicious'),
      value: (row) => row.kind,
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
      id: 'pageviews',
      name: 'page views',
      header: 'Page views',
      numeric: true,
      cell: (row) => formatCount(row.pageviews),
      value: (row) => row.pageviews,
    },
    {
      id: 'events',
      name: 'events',
      header: 'Events',
      numeric: true,
      cell: (row) => formatCount(row.events),
      value: (row) => row.events,
    },
    {
      id: 'visitors',
      name: 'visitors',
      header: 'Visitors',
      numeric: true,
      cell: (row) => formatCount(row.visitors),
      value: (row) => row.visitors,
    },
  ];
}
