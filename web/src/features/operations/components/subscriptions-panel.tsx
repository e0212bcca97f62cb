import { useQuery } from '@tanstack/react-query';
import { Updated } from '@/components/charts/updated';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Rows } from '@/components/data/rows';
import type { Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import { Card } from '@/components/ui/card';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { formatCount } from '@/lib/format';
import { subscriptionsQuery, type Subscriptions } from '../api/operations';
import { formatSpan } from '../lib/format';

type Subscriber = Subscriptions['subscribers'][number];
type ProcessManager = Subscriptions['processManagers'][number];
type InlineProjection = Subscriptions['inlineProjections'][number];

const LATE_S = 10;
const at = (time: string | null | undefined) => (time ? formatZoned(time, browserTimezone()) : '–');

/** Subscribers of the log that are no projections, process managers and inline projections; refetched every 5 s. */
export function SubscriptionsPanel() {
  const query = useQuery(subscriptionsQuery);
  if (query.error) {
    return <ErrorBox error={query.error} prefix="Error loading subscribers" onRetry={() => void query.refetch()} />;
  }
  if (!query.data) {
    return (
      <div role="status" aria-label="Loading subscribers">
        <Skeleton className="h-48" />
      </div>
    );
  }
  const { subscribers, processManagers, inlineProjections } = query.data;
  return (
    <>
      <Card
        title="Subscribers"
        description="Policies and event handlers that read the log in parallel with the projections."
        actions={<Updated at={query.dataUpdatedAt} fetching={query.isFetching} />}
      >
        {subscribers.length > 0 ? (
          <Rows
            caption="All subscribers"
            columns={SUBSCRIBERS}
            rows={subscribers}
            rowKey={(row) => `${row.name} ${row.topic} ${row.partition}`}
          />
        ) : (
          <Empty>No subscribers</Empty>
        )}
      </Card>
      <div className="grid gap-5">
        <Card title="Process managers" description="Scheduled commands: expiry, reminders, checks, retries.">
          {processManagers.length > 0 ? (
            <Rows
              caption="All process managers"
              columns={PROCESS_MANAGERS}
              rows={processManagers}
              rowKey={(row) => row.name}
            />
          ) : (
            <Empty>No timeouts</Empty>
          )}
        </Card>
        <Card
          title="Inline projections"
          description="Written in the same transaction as their events, so they never lag."
        >
          <Rows
            caption="All inline projections"
            columns={INLINE_PROJECTIONS}
            rows={inlineProjections}
            rowKey={(row) => row.name}
          />
        </Card>
      </div>
    </>
  );
}

const SUBSCRIBERS: Column<Subscriber>[] = [
  { id: 'name', header: 'Name', cell: (row) => row.name, className: 'min-w-40' },
  { id: 'topic', header: 'Topic', cell: (row) => `${row.topic} [${row.partition}]`, className: 'whitespace-nowrap' },
  { id: 'state', header: 'State', cell: (row) => <State late={row.lagSeconds >= LATE_S} error={row.error} /> },
  {
    id: 'lag',
    header: 'Lag',
    numeric: true,
    cell: (row) => (typeof row.lagEvents === 'number' ? formatCount(row.lagEvents) : 'Unknown'),
  },
  { id: 'letters', header: 'Dead letters', numeric: true, cell: (row) => formatCount(row.openDeadLetters) },
  { id: 'updated', header: 'Moved', cell: (row) => at(row.updatedAt), className: 'whitespace-nowrap' },
];

const PROCESS_MANAGERS: Column<ProcessManager>[] = [
  { id: 'name', header: 'Name', cell: (row) => row.name, className: 'min-w-40' },
  {
    id: 'due',
    header: 'Due',
    numeric: true,
    cell: (row) => (
      <>
        {formatCount(row.due)}
        {row.due > 0 && <span className="block text-xs text-muted">{`oldest ${formatSpan(row.dueSeconds)}`}</span>}
      </>
    ),
    className: 'whitespace-nowrap',
  },
  { id: 'waiting', header: 'Waiting', numeric: true, cell: (row) => formatCount(row.waiting) },
  { id: 'next', header: 'Next', cell: (row) => at(row.nextAt), className: 'whitespace-nowrap' },
  { id: 'letters', header: 'Dead letters', numeric: true, cell: (row) => formatCount(row.openDeadLetters) },
];

const INLINE_PROJECTIONS: Column<InlineProjection>[] = [
  { id: 'name', header: 'Name', cell: (row) => row.name, className: 'min-w-40' },
  { id: 'version', header: 'Version', numeric: true, cell: (row) => formatCount(row.version) },
  { id: 'generation', header: 'Builds', numeric: true, cell: (row) => formatCount(row.generation) },
  { id: 'rebuilt', header: 'Built', cell: (row) => at(row.rebuiltAt), className: 'whitespace-nowrap' },
];

function State({ late, error }: { readonly late: boolean; readonly error: string }) {
  if (error) return <Badge tone="bad">{`Retrying: ${error}`}</Badge>;
  return late ? <Badge tone="warn">Behind</Badge> : <Badge tone="good">Live</Badge>;
}
