import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Sparkline } from '@/components/charts/sparkline';
import { Updated } from '@/components/charts/updated';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Rows } from '@/components/data/rows';
import { Table, type Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import { Card, surface } from '@/components/ui/card';
import { cx } from '@/lib/cx';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { formatCount, formatPercent } from '@/lib/format';
import { systemQuery, type System } from '../api/operations';
import { AccountUsage } from './account-usage';
import { formatBytes, formatSpan, toneOf, stateLabel } from '../lib/format';

/** State of the machine and the engines; refetched every 5 s. */
export function SystemPanel() {
  const query = useQuery(systemQuery);
  const data = query.data;
  return (
    <div className="flex flex-col gap-5">
      {query.error && (
        <ErrorBox error={query.error} prefix="Error loading the system" onRetry={() => void query.refetch()} />
      )}
      {!data && !query.error && (
        <div role="status" aria-label="Loading the system">
          <Skeleton className="h-96" />
        </div>
      )}
      {data && (
        <>
          <div>
            <Figures data={data} />
            <p className="mt-3">
              <Updated at={query.dataUpdatedAt} fetching={query.isFetching} />
            </p>
          </div>
          <div className="grid gap-5 xl:grid-cols-2">
            <Engines data={data} />
            <Disk data={data} />
          </div>
          <Processes data={data} />
          <Log data={data} />
          <AccountUsage />
          <Backups data={data} />
        </>
      )}
    </div>
  );
}

function Figures({ data }: { readonly data: System }) {
  const { canary, freshness, throughput, disk } = data;
  const last = throughput.at(-1);
  const cards: readonly { label: string; value: string; caption: string; bad?: boolean; extra?: ReactNode }[] = [
    {
      label: 'Freshness',
      value: canaryValue(canary),
      caption: canaryCaption(canary),
      bad: canary.isLate,
      extra: (
        <Sparkline
          values={canary.points.map((point) => point.seconds ?? 0)}
          color={canary.isLate ? 'var(--color-bad)' : 'var(--color-brand)'}
        />
      ),
    },
    {
      label: 'Events',
      value: freshness.lastSeconds === null ? 'No events' : formatSpan(freshness.lastSeconds),
      caption:
        freshness.medianSeconds === null || freshness.worstSeconds === null
          ? 'No events in the last 15 minutes'
          : `From log to read model; median ${formatSpan(freshness.medianSeconds)}, worst ${formatSpan(freshness.worstSeconds)} in 15 min`,
    },
    {
      label: 'Events in',
      value: `${formatCount(Math.round(last?.inPerSecond ?? 0))} /s`,
      caption: 'Records per minute in the last hour',
      extra: <Sparkline values={throughput.map((point) => point.inPerSecond)} color="var(--color-brand)" />,
    },
    {
      label: 'Processed',
      value: `${formatCount(Math.round(last?.outPerSecond ?? 0))} /s`,
      caption: 'Records processed by projections',
      extra: <Sparkline values={throughput.map((point) => point.outPerSecond)} color="var(--color-brand)" />,
    },
    {
      label: 'Disk free',
      value: disk ? formatBytes(disk.free) : 'Unknown',
      caption: disk
        ? `${formatPercent((100 * disk.used) / disk.total, 0)} of ${formatBytes(disk.total)} used`
        : 'The data directory is on another machine',
    },
  ];
  return (
    <ul aria-label="System metrics" className="grid grid-cols-1 gap-3 min-[480px]:grid-cols-2 sm:gap-4 xl:grid-cols-5">
      {cards.map((card) => (
        <li key={card.label} className={cx(surface, 'p-4 sm:p-5')}>
          <h2 className="text-[0.8125rem] font-medium text-muted">{card.label}</h2>
          <div className="mt-1 flex items-center justify-between gap-2 text-2xl font-semibold tabular">
            <span className={cx('whitespace-nowrap', card.bad && 'text-bad')}>{card.value}</span>
            {card.extra}
          </div>
          <p className="mt-0.5 text-[0.8125rem] text-muted">{card.caption}</p>
        </li>
      ))}
    </ul>
  );
}

function canaryValue(canary: System['canary']): string {
  if (!canary.isOn) return 'Off';
  if (canary.isLate) return canary.readableAt === null ? 'Late' : `Over ${formatSpan(secondsSince(canary.readableAt))}`;
  return canary.lastSeconds === null ? 'Not measured yet' : formatSpan(canary.lastSeconds);
}

function canaryCaption(canary: System['canary']): string {
  if (!canary.isOn) return 'The canary is switched off (ALTHING_CANARY)';
  if (canary.isLate) return 'No page view of the last minute is readable yet';
  const worst = canary.p95Seconds === null ? '' : `; 95% within ${formatSpan(canary.p95Seconds)} in the last hour`;
  return `A test page view, from request to readable${worst}`;
}

function secondsSince(at: string): number {
  return Math.max(0, (Date.now() - Date.parse(at)) / 1000);
}

function Engines({ data }: { readonly data: System }) {
  return (
    <Card title="Engines" description={`Althing ${data.version}, Python ${data.python}`}>
      <Rows caption="Engines and versions" columns={ENGINES} rows={data.engines} rowKey={(row) => row.name} />
    </Card>
  );
}

const ENGINE_NAMES: Readonly<Record<string, string>> = {
  kafka: 'Kafka',
  postgres: 'Postgres',
  clickhouse: 'ClickHouse',
  log: 'Log',
};

const ENGINES: readonly Column<System['engines'][number]>[] = [
  { id: 'name', header: 'Engine', cell: (row) => ENGINE_NAMES[row.name] ?? row.name },
  { id: 'version', header: 'Version', cell: (row) => row.version ?? 'Unknown', className: 'tabular' },
  {
    id: 'state',
    header: 'State',
    cell: (row) => <Badge tone={row.answers ? 'good' : 'bad'}>{row.answers ? 'Up' : 'Not responding'}</Badge>,
  },
  { id: 'note', header: 'Note', cell: (row) => row.note && <span className="block sm:min-w-40">{row.note}</span> },
];

function Disk({ data: { disk } }: { readonly data: System }) {
  const folders = Object.entries(disk?.folders ?? {}).sort(([, a], [, b]) => b - a);
  return (
    <Card title="Data directory" description="Disk use of each part, checked once a minute">
      {folders.length === 0 ? (
        <Empty>Not on this machine</Empty>
      ) : (
        <Table
          caption="Folders by size"
          columns={[
            { id: 'name', header: 'Folder', cell: ([name]) => name },
            { id: 'size', header: 'Size', numeric: true, cell: ([, size]) => formatBytes(size) },
          ]}
          rows={folders}
          rowKey={([name]) => name}
        />
      )}
    </Card>
  );
}

function Processes({ data }: { readonly data: System }) {
  const runs = `${data.projectors} ${data.projectors === 1 ? 'process runs' : 'processes run'} projections`;
  return (
    <Card title="Processes" description={runs}>
      {data.isStack ? (
        <Table caption="Processes of the stack" columns={PROCESSES} rows={data.processes} rowKey={(row) => row.name} />
      ) : (
        <Empty>The services do not run under one supervisor on this machine. Check your process manager.</Empty>
      )}
    </Card>
  );
}

const PROCESSES: readonly Column<System['processes'][number]>[] = [
  { id: 'name', header: 'Name', cell: (row) => <span className="font-medium">{row.name}</span> },
  { id: 'pid', header: 'Process', numeric: true, cell: (row) => row.pid ?? '–' },
  { id: 'state', header: 'State', cell: (row) => <Badge tone={toneOf(row.state)}>{stateLabel(row.state)}</Badge> },
  { id: 'restarts', header: 'Restarts', numeric: true, cell: (row) => row.restarts },
  {
    id: 'uptime',
    header: 'Uptime',
    numeric: true,
    cell: (row) => formatSpan(row.uptimeSeconds),
    className: 'whitespace-nowrap',
  },
  {
    id: 'memory',
    header: 'Memory',
    numeric: true,
    cell: (row) => formatBytes(row.memoryBytes),
    className: 'whitespace-nowrap',
  },
];

function Log({ data }: { readonly data: System }) {
  return (
    <Card title="Log" description="The end of each partition, and the lag of its live readers">
      {data.log.length === 0 ? (
        <Empty>The projectors have not read the log yet</Empty>
      ) : (
        <Table
          caption="Partitions of the log"
          columns={LOG}
          rows={data.log}
          rowKey={(row) => `${row.topic}-${row.partition}`}
        />
      )}
    </Card>
  );
}

const LOG: readonly Column<System['log'][number]>[] = [
  {
    id: 'place',
    header: 'Partition',
    cell: (row) => <code className="font-mono text-[0.8125rem]">{`${row.topic}[${row.partition}]`}</code>,
  },
  { id: 'end', header: 'End', numeric: true, cell: (row) => formatCount(row.endOffset) },
  { id: 'readers', header: 'Readers', numeric: true, cell: (row) => row.readers.length },
  {
    id: 'behind',
    header: 'Lag',
    cell: (row) => {
      const behind = row.readers.filter((reader) => reader.lagEvents > 0);
      if (row.readers.length === 0) return <span className="text-muted">Read by policies</span>;
      return behind.length === 0
        ? '0'
        : behind.map((reader) => `${reader.projection} ${formatCount(reader.lagEvents)}`).join(', ');
    },
  },
];

function Backups({ data: { backups } }: { readonly data: System }) {
  return (
    <Card title="Backups" description="Last ten">
      {backups.length === 0 ? (
        <Empty title="No backups yet" />
      ) : (
        <Rows caption="Last backups" columns={BACKUPS} rows={backups} rowKey={(row) => row.id} />
      )}
    </Card>
  );
}

const BACKUPS: readonly Column<System['backups'][number]>[] = [
  {
    id: 'at',
    header: 'Started',
    cell: (row) => formatZoned(row.startedAt, browserTimezone()),
    className: 'whitespace-nowrap',
  },
  { id: 'state', header: 'State', cell: (row) => <Badge tone={toneOf(row.state)}>{stateLabel(row.state)}</Badge> },
  { id: 'events', header: 'Records', numeric: true, cell: (row) => formatCount(row.events) },
  { id: 'size', header: 'Size', numeric: true, cell: (row) => formatBytes(row.bytes), className: 'whitespace-nowrap' },
  {
    id: 'folder',
    header: 'Folder',
    cell: (row) => <code className="block font-mono sm:min-w-48 text-xs break-all">{row.folder}</code>,
  },
  {
    id: 'took',
    header: 'Duration',
    numeric: true,
    cell: (row) => (row.finishedAt ? formatSpan((Date.parse(row.finishedAt) - Date.parse(row.startedAt)) / 1000) : '–'),
    className: 'whitespace-nowrap',
  },
  { id: 'checked', header: 'Verified', cell: (row) => (row.verifiedAt ? 'OK' : 'No') },
  {
    id: 'restored',
    header: 'Restored',
    cell: (row) => row.drillError || (row.restoredAt ? formatZoned(row.restoredAt, browserTimezone()) : 'Never'),
  },
  { id: 'error', header: 'Error', cell: (row) => row.error && <span className="block sm:min-w-56">{row.error}</span> },
];
