import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Sparkline } from '@/components/charts/sparkline';
import { Updated } from '@/components/charts/updated';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Table, type Column } from '@/components/data/table';
import { When } from '@/components/data/when';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { SearchField } from '@/components/ui/search-field';
import { formatCount } from '@/lib/format';
import { useMedia } from '@/lib/browser/media';
import { ActionDialog } from './action-dialog';
import { BuildProgress } from './build-progress';
import { projectionsQuery, rebuildRunQuery, type Action, type Projection } from '../api/operations';
import { allowed, candidateOf, formatLag, formatSpan, LABELS, toneOf, stateLabel } from '../lib/format';
import { EVERY_PROJECTION, filtered, troubleOf, type ProjectionFilter } from '../lib/projection-filter';
import { rebuildable } from '../lib/rebuild-all';
import { useOperationRequest } from '../hooks/use-operation-request';
import { ProjectionPanel } from './projection-panel';
import { RebuildAllDialog, RebuildAllProgress } from './rebuild-all';

interface Props {
  readonly selected: string | null;
  readonly onSelect: (name: string | null) => void;
  readonly filter?: ProjectionFilter;
  readonly onFilter?: (filter: ProjectionFilter) => void;
}

/** Every projection with its state and lag, what may be done to it, and one of them in full. */
export function ProjectionsPanel({ selected, onSelect, filter = EVERY_PROJECTION, onFilter = () => undefined }: Props) {
  const query = useQuery(projectionsQuery);
  const asking = useOperationRequest(query.data);
  const [asked, setAsked] = useState<{ readonly name: string; readonly action: Action } | null>(null);
  const isNarrow = useMedia('(max-width: 1279px)');
  const [rebuilding, setRebuilding] = useState(false);
  const latest = useQuery(rebuildRunQuery);
  const run = latest.data;
  // The run stands above the list: they appear together, so that nothing moves.
  const isLoading = query.isPending || latest.isPending;
  const rows = query.data ?? [];
  const shown = filtered(rows, filter);
  const unhealthy = rows.filter((row) => troubleOf(row) !== null).length;
  const all = rebuildable(shown);
  const open = (name: string, action: Action) => setAsked({ name, action });
  const select = (name: string | null) => onSelect(name === selected ? null : name);
  const detail = (row: Projection) =>
    row.name === selected ? (
      <ProjectionPanel name={row.name} onClose={() => onSelect(null)} onAct={(action) => open(row.name, action)} />
    ) : null;
  return (
    <div className="flex flex-col gap-5">
      <Card
        title="Projections"
        description="Read models built from the event log. Rebuild any of them without downtime."
        actions={
          <>
            <Updated at={query.dataUpdatedAt} fetching={query.isFetching} />
            <SearchField
              label="Search projections"
              value={filter.search}
              onChange={(search) => onFilter({ ...filter, search })}
            />
            <Button
              size="sm"
              aria-pressed={filter.unhealthy}
              variant={filter.unhealthy ? 'primary' : 'outline'}
              onClick={() => onFilter({ ...filter, unhealthy: !filter.unhealthy })}
            >
              {`Only unhealthy (${unhealthy})`}
            </Button>
            <Button size="sm" disabled={all.length === 0 || run?.isOpen} onClick={() => setRebuilding(true)}>
              Rebuild all
            </Button>
          </>
        }
      >
        {run && !isLoading && <RebuildAllProgress run={run} />}
        {query.error && (
          <ErrorBox
            error={query.error}
            prefix="Error loading projections"
            onRetry={() => void query.refetch()}
            className="mb-3"
          />
        )}
        {!isLoading && rows.length > 0 && !rows[0]?.isRunning && (
          <p role="status" className="mb-3 rounded-lg bg-warn-soft px-4 py-3 text-warn">
            No projectors are running: numbers stop updating, and requests wait until projectors run again.
          </p>
        )}
        {isLoading ? (
          <div role="status" aria-label="Loading projections">
            <Skeleton className="h-160" />
          </div>
        ) : rows.length === 0 ? (
          query.data && <Empty>No projections</Empty>
        ) : shown.length === 0 ? (
          <Empty>{filter.unhealthy ? 'No unhealthy projection matches.' : 'No projection matches.'}</Empty>
        ) : isNarrow ? (
          <NarrowList rows={shown} onSelect={select} onAct={open} detail={detail} />
        ) : (
          <Table
            dense
            caption="All projections"
            columns={columns(select, open)}
            rows={shown}
            rowKey={(row) => row.name}
            detail={detail}
          />
        )}
      </Card>
      {rebuilding && <RebuildAllDialog names={all} onClose={() => setRebuilding(false)} />}
      {asked && (
        <ActionDialog
          {...asked}
          onClose={() => setAsked(null)}
          onConfirm={(reason, force) => {
            asking.mutate({ ...asked, reason, force });
            if (asked.action === 'rebuild' || asked.action === 'verify') onSelect(asked.name);
          }}
        />
      )}
    </div>
  );
}

const KINDS: Readonly<Record<string, string>> = { clickhouse: 'ClickHouse', rollup: 'Rollup', postgres: 'Postgres' };

function columns(onSelect: Props['onSelect'], onAct: (name: string, action: Action) => void): Column<Projection>[] {
  return [
    { id: 'name', header: 'Name', cell: (row) => <Name row={row} onSelect={onSelect} />, className: 'min-w-32' },
    { id: 'state', header: 'State', cell: (row) => <State row={row} />, className: 'min-w-44' },
    {
      id: 'generation',
      header: 'Gen',
      numeric: true,
      cell: (row) => <Generation row={row} />,
      className: 'whitespace-nowrap',
    },
    {
      id: 'position',
      header: 'Position',
      numeric: true,
      cell: (row) => <Position row={row} />,
      className: 'whitespace-nowrap',
    },
    { id: 'lag', header: 'Lag', numeric: true, cell: (row) => <Lag row={row} />, className: 'whitespace-nowrap' },
    {
      id: 'series',
      header: 'Last 15 min',
      cell: (row) => <Sparkline values={row.lagSeries} color="var(--color-brand)" />,
    },
    { id: 'letters', header: 'Dead letters', numeric: true, cell: (row) => formatCount(row.openDeadLetters) },
    {
      id: 'updated',
      header: 'Moved',
      cell: (row) => (row.updatedAt ? <When at={row.updatedAt} /> : 'Never'),
      className: 'whitespace-nowrap',
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      cell: (row) => <Actions row={row} onAct={onAct} />,
      className: 'min-w-56',
    },
  ];
}

function Name({ row, onSelect }: { readonly row: Projection; readonly onSelect: Props['onSelect'] }) {
  return (
    <>
      <button
        type="button"
        aria-label={`Show ${row.name}`}
        className="rounded text-left font-medium text-brand hover:underline"
        onClick={() => onSelect(row.name)}
      >
        {row.name}
      </button>
      <span className="block text-xs text-muted">
        {KINDS[row.kind] ?? row.kind}
        {row.family && `, fed by ${row.family}`}
      </span>
    </>
  );
}

function State({ row }: { readonly row: Projection }) {
  const candidate = candidateOf(row);
  return (
    <div className="flex flex-col gap-1">
      <span>
        <Badge tone={row.isRetrying && row.state === 'live' ? 'warn' : toneOf(row.state)}>
          {row.isRetrying && row.state === 'live' ? 'Retrying' : stateLabel(row.state)}
        </Badge>
      </span>
      {row.differs && <Badge tone="warn">Differs</Badge>}
      {row.error && <span className="line-clamp-2 max-w-56 text-xs break-words text-bad">{row.error}</span>}
      {candidate && <BuildProgress build={candidate} name={row.name} compact />}
    </div>
  );
}

function Generation({ row }: { readonly row: Projection }) {
  return (
    <>
      {row.liveGeneration}
      <span className="block text-xs text-muted">{`version ${row.version}`}</span>
    </>
  );
}

/** Records of the log that the live generation has read, and how many it reads in a second. */
function Position({ row }: { readonly row: Projection }) {
  const live = row.builds.find((build) => build.generation === row.liveGeneration);
  return (
    <>
      {live && live.positions.length > 0
        ? formatCount(live.positions.reduce((sum, place) => sum + place.nextOffset, 0))
        : '–'}
      <span className="block text-xs text-muted">{`${formatCount(Math.round(row.rate))} a second`}</span>
    </>
  );
}

function Lag({ row }: { readonly row: Projection }) {
  return (
    <>
      {formatLag(row.lagEvents)}
      {row.lagSeconds > 0 && <span className="block text-xs text-muted">{formatSpan(row.lagSeconds)}</span>}
    </>
  );
}

function Actions({ row, onAct }: { readonly row: Projection; readonly onAct: (name: string, action: Action) => void }) {
  const actions = allowed(row);
  if (actions.length === 0) return <span className="block text-right text-xs text-muted">With {row.family}</span>;
  return (
    <div className="flex flex-wrap justify-end gap-1.5">
      {actions.map((action) => (
        <Button
          key={action}
          size="sm"
          aria-label={`${LABELS[action]} ${row.name}`}
          onClick={() => onAct(row.name, action)}
        >
          {LABELS[action]}
        </Button>
      ))}
    </div>
  );
}

interface NarrowProps {
  readonly rows: readonly Projection[];
  readonly onSelect: Props['onSelect'];
  readonly onAct: (name: string, action: Action) => void;
  readonly detail: (row: Projection) => ReactNode;
}

/** Where the table would hide what may be done behind its edge. */
function NarrowList({ rows, onSelect, onAct, detail }: NarrowProps) {
  return (
    <ul aria-label="Projections" className="divide-y divide-line border-t border-line">
      {rows.map((row) => (
        <li key={row.name} className="flex flex-col gap-2 py-3">
          <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-2">
            <div className="min-w-0 flex-1 basis-40">
              <Name row={row} onSelect={onSelect} />
            </div>
            <Actions row={row} onAct={onAct} />
          </div>
          <div className="flex items-center justify-between gap-3">
            <State row={row} />
            <div className="text-right tabular">
              <Lag row={row} />
              <span className="block text-xs text-muted">events behind</span>
            </div>
          </div>
          {detail(row)}
        </li>
      ))}
    </ul>
  );
}
