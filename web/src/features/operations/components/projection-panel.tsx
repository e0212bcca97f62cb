import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Sparkline } from '@/components/charts/sparkline';
import { ErrorBox, Skeleton } from '@/components/data/states';
import type { Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { formatCount } from '@/lib/format';
import { BuildProgress } from './build-progress';
import { ParityTable } from './parity-table';
import {
  projectionQuery,
  stopComparing,
  type Action,
  type Build,
  type ProjectionDetail,
  type OperationRequest,
} from '../api/operations';
import { Rows } from '@/components/data/rows';
import { allowed, candidateOf, formatLag, formatSpan, LABELS, toneOf, stateLabel } from '../lib/format';

interface Props {
  readonly name: string;
  readonly onClose: () => void;
  readonly onAct: (action: Action) => void;
}

/** One projection: build, comparison, partitions, generations and requests. */
export function ProjectionPanel({ name, onClose, onAct }: Props) {
  const query = useQuery(projectionQuery(name));
  const data = query.data;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    void box.current?.scrollIntoView({ block: 'nearest' }); // a promise in new browsers, which is no clean-up
  }, []);
  return (
    <div ref={box} className="scroll-my-20">
      <Card
        title={name}
        description={data ? `Generation ${data.liveGeneration} is live, version ${data.version}` : 'Loading'}
        actions={
          <>
            {data &&
              allowed(data).map((action) => (
                <Button
                  key={action}
                  size="sm"
                  variant={action === 'promote' ? 'primary' : 'outline'}
                  onClick={() => onAct(action)}
                >
                  {LABELS[action]}
                </Button>
              ))}
            <Button size="sm" variant="ghost" aria-label={`Close ${name}`} onClick={onClose}>
              <X aria-hidden className="size-4" />
            </Button>
          </>
        }
      >
        {query.error && (
          <ErrorBox error={query.error} prefix={`Error loading ${name}`} onRetry={() => void query.refetch()} />
        )}
        {!data && !query.error && (
          <div role="status" aria-label={`Loading ${name}`}>
            <Skeleton className="h-48" />
          </div>
        )}
        {data && <Detail data={data} />}
      </Card>
    </div>
  );
}

function Detail({ data }: { readonly data: ProjectionDetail }) {
  const candidate = candidateOf(data);
  const comparing = data.requests.find(
    (request) => request.action === 'verify' && ['waiting', 'running'].includes(request.state),
  );
  const compared =
    comparing ?? data.requests.find((request) => request.action === 'verify' && request.state === 'done');
  return (
    <div className="flex flex-col gap-6">
      {data.error && (
        <p className="rounded-lg bg-bad-soft px-3 py-2 break-words whitespace-pre-wrap text-bad">{data.error}</p>
      )}
      {candidate && <BuildProgress build={candidate} name={data.name} />}
      {comparing && <Comparing name={data.name} request={comparing} />}
      {compared?.comparison && <ParityTable comparison={compared.comparison} running={compared === comparing} />}
      <section aria-label="Partitions">
        <h3 className="mb-2 font-semibold">Partitions</h3>
        <Rows
          caption={`Partitions of ${data.name}`}
          columns={positionColumns(data)}
          rows={live(data)?.positions ?? []}
          rowKey={(row) => `${row.topic}-${row.partition}`}
        />
      </section>
      <section aria-label="Generations">
        <h3 className="mb-2 font-semibold">Generations</h3>
        <Rows
          caption={`Generations of ${data.name}`}
          columns={BUILD_COLUMNS}
          rows={data.builds}
          rowKey={(row) => String(row.generation)}
        />
      </section>
      <section aria-label="Requests">
        <h3 className="mb-2 font-semibold">Requests</h3>
        {data.requests.length === 0 ? (
          <p className="text-muted">No operations yet.</p>
        ) : (
          <Rows
            caption={`Requests of ${data.name}`}
            columns={REQUEST_COLUMNS}
            rows={data.requests}
            rowKey={(row) => row.id}
          />
        )}
      </section>
    </div>
  );
}

function Comparing({ name, request }: { readonly name: string; readonly request: OperationRequest }) {
  const stop = useCommand(stopComparing);
  const { done, of } = request.comparison ?? { done: 0, of: 0 };
  return (
    <div role="status" className="flex flex-wrap items-center justify-between gap-3 rounded-lg bg-brand-soft px-4 py-3">
      <p>{of ? `Comparing: ${done} of ${of} tables` : 'Comparing'}</p>
      <Button size="sm" busy={stop.isPending} onClick={() => stop.mutate(name)}>
        Stop comparing
      </Button>
    </div>
  );
}

const live = (data: ProjectionDetail): Build | undefined =>
  data.builds.find((build) => build.generation === data.liveGeneration);

function positionColumns(data: ProjectionDetail): Column<Build['positions'][number]>[] {
  const series = new Map(data.places.map((place) => [`${place.topic}-${place.partition}`, place.lag]));
  return [
    {
      id: 'place',
      header: 'Partition',
      cell: (row) => <code className="font-mono text-[0.8125rem]">{`${row.topic}[${row.partition}]`}</code>,
    },
    { id: 'next', header: 'Position', numeric: true, cell: (row) => formatCount(row.nextOffset) },
    {
      id: 'end',
      header: 'Log end',
      numeric: true,
      cell: (row) => (row.endOffset === null ? 'Unknown' : formatCount(row.endOffset)),
    },
    {
      id: 'lag',
      header: 'Lag',
      numeric: true,
      cell: (row) => `${formatLag(row.lagEvents)}${row.lagSeconds > 0 ? `, ${formatSpan(row.lagSeconds)}` : ''}`,
    },
    {
      id: 'series',
      header: 'Last 15 min',
      cell: (row) => (
        <Sparkline values={series.get(`${row.topic}-${row.partition}`) ?? []} color="var(--color-brand)" />
      ),
    },
    { id: 'rate', header: 'Records/s', numeric: true, cell: (row) => formatCount(Math.round(row.rate)) },
    { id: 'owner', header: 'Read by', cell: (row) => row.owner ?? 'None' },
    {
      id: 'error',
      header: 'Error',
      cell: (row) => row.error && <span className="block max-w-64 break-words text-bad">{row.error}</span>,
    },
  ];
}

const at = (time: string | null): string => (time ? formatZoned(time, browserTimezone()) : '–');

const BUILD_COLUMNS: readonly Column<Build>[] = [
  { id: 'generation', header: 'Gen', numeric: true, cell: (row) => row.generation },
  {
    id: 'state',
    header: 'State',
    cell: (row) => (
      <Badge tone={row.isDropped ? 'neutral' : toneOf(row.state)}>
        {row.isDropped ? `${stateLabel(row.state)}, dropped` : stateLabel(row.state)}
      </Badge>
    ),
  },
  { id: 'version', header: 'Version', numeric: true, cell: (row) => row.version },
  { id: 'created', header: 'Started', cell: (row) => at(row.createdAt), className: 'whitespace-nowrap' },
  { id: 'ready', header: 'Ready', cell: (row) => at(row.readyAt), className: 'whitespace-nowrap' },
  { id: 'promoted', header: 'Live since', cell: (row) => at(row.promotedAt), className: 'whitespace-nowrap' },
  {
    id: 'reason',
    header: 'Reason',
    cell: (row) => (
      <span className="block max-w-64 break-words">
        {row.error ? <span className="text-bad">{row.error}</span> : row.reason}
      </span>
    ),
  },
];

const REQUEST_COLUMNS: readonly Column<OperationRequest>[] = [
  { id: 'at', header: 'Requested', cell: (row) => at(row.requestedAt), className: 'whitespace-nowrap' },
  {
    id: 'action',
    header: 'Action',
    cell: (row) => (LABELS as Readonly<Record<string, string>>)[row.action] ?? row.action,
    className: 'whitespace-nowrap',
  },
  { id: 'actor', header: 'By', cell: (row) => row.actor },
  { id: 'reason', header: 'Reason', cell: (row) => <span className="block max-w-64 break-words">{row.reason}</span> },
  {
    id: 'state',
    header: 'Outcome',
    cell: (row) => (
      <>
        <Badge tone={toneOf(row.state)}>{stateLabel(row.state)}</Badge>
        {row.error && <span className="mt-0.5 block max-w-64 text-xs break-words text-muted">{row.error}</span>}
      </>
    ),
  },
];
