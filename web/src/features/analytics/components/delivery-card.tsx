import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useNear } from '@/components/data/below';
import type { ReactNode } from 'react';
import { ChartCard, type ChartColumn } from '@/components/charts/chart-card';
import { MiniBars } from '@/components/charts/mini-bars';
import { Rows } from '@/components/data/rows';
import { Button } from '@/components/ui/button';
import type { Answer } from '@/lib/api/client';
import { useCommand } from '@/lib/api/command';
import type { Delivery, Website } from '@/lib/api/types';
import { formatDateTime, formatIn } from '@/lib/dates';
import { formatCount } from '@/lib/format';
import { fileName, type Period } from '../lib/periods';
import { deliveryQuery, replayReport } from '../api/analytics';

type Point = Delivery['series'][number];
type Refusal = Delivery['refusals'][number];
type Outcome = Exclude<keyof Point, 'at'>;

const OUTCOMES: readonly { readonly id: Outcome; readonly label: string; readonly group: number }[] = [
  { id: 'accepted', label: 'Accepted', group: 0 },
  { id: 'duplicate', label: 'Duplicates (ignored)', group: 1 },
  { id: 'bot', label: 'Bots (excluded)', group: 2 },
  { id: 'suspicious', label: 'Suspicious (excluded)', group: 2 },
  { id: 'prefetch', label: 'Prefetch (excluded)', group: 2 },
  { id: 'spam_referrer', label: 'Spam referrer', group: 3 },
  { id: 'unknown_site', label: 'Unknown website', group: 3 },
  { id: 'origin_not_allowed', label: 'Origin not allowed', group: 3 },
  { id: 'throttled', label: 'Over the rate limit', group: 3 },
  { id: 'invalid', label: 'Invalid', group: 3 },
  { id: 'too_large', label: 'Too large', group: 3 },
  { id: 'too_old', label: 'Too old', group: 3 },
  { id: 'not_allowed', label: 'Not allowed for this key', group: 3 },
];
const COLORS = ['var(--c-chart-2)', 'var(--c-chart-5)', 'var(--c-chart-3)', 'var(--c-chart-6)'] as const;

interface Props {
  readonly website: Website;
  readonly period: Period;
  readonly className?: string;
}

export function DeliveryCard(props: Props) {
  const query = useQuery({ ...deliveryQuery(props.website.id, props.period), enabled: useNear() });
  return (
    <DeliveryStats
      {...props}
      query={query}
      action={(refusal) => <Replay website={props.website.id} refusal={refusal} />}
    />
  );
}

/** Sends a rejected report again, once its partner or network exists. */
function Replay({ website, refusal }: { readonly website: string; readonly refusal: Refusal }) {
  const replay = useCommand(replayReport(website));
  return (
    <Button
      size="sm"
      busy={replay.isPending}
      aria-label={`Replay the report of ${refusal.partner || 'no partner'}`}
      onClick={() => replay.mutate(refusal.id)}
    >
      Replay
    </Button>
  );
}

interface StatsProps extends Omit<Props, 'website'> {
  readonly website: Pick<Website, 'domain' | 'timezone'>;
  readonly query: UseQueryResult<Answer<Delivery>>;
  /** What can be done about a report that can be replayed. */
  readonly action?: (refusal: Refusal) => ReactNode;
}

/** The card for data that the caller loads. */
export function DeliveryStats({ website, period, className, query, action }: StatsProps) {
  const delivery = query.data?.data;
  const series = delivery?.series ?? [];
  const present = OUTCOMES.filter((outcome) => (delivery?.outcomes[outcome.id] ?? 0) > 0);
  const total = Object.values(delivery?.outcomes ?? {}).reduce((sum, value) => sum + value, 0);
  const { refusals = [], reasons = [], partners = [] } = delivery ?? {};
  const ticks = tickOf(series);
  return (
    <ChartCard
      title="Event delivery"
      description="Received events by outcome, at the time of arrival"
      {...(className ? { className } : {})}
      query={query}
      rows={series}
      rowKey={(row) => row.at}
      columns={columns(
        website.timezone,
        present.map((outcome) => outcome.id),
      )}
      file={fileName(website.domain, period, 'delivery')}
      emptyText="No events received in this period."
      isEmpty={delivery !== undefined && total === 0}
      frame="h-64"
    >
      <MiniBars
        className="h-24"
        label={`Events over time, ${formatCount(total)} in all`}
        bars={series.map((point) => ({
          key: point.at,
          tick: formatIn(point.at, website.timezone, ticks),
          label: `${formatDateTime(point.at, website.timezone)}: ${present.map(({ id, label }) => `${formatCount(point[id] ?? 0)} ${label}`).join(', ')}`,
          parts: COLORS.map((color, group) => ({
            color,
            value: OUTCOMES.filter((item) => item.group === group).reduce(
              (sum, item) => sum + (point[item.id] ?? 0),
              0,
            ),
          })),
        }))}
      />
      <dl className="mt-4 grid grid-cols-1 gap-x-8 gap-y-1.5 sm:grid-cols-2">
        {present.map((outcome) => (
          <div key={outcome.id} className="flex items-center gap-2.5">
            <dt className="flex min-w-0 items-center gap-2.5">
              <span
                aria-hidden
                className="size-2.5 shrink-0 rounded-[3px]"
                style={{ background: COLORS[outcome.group] }}
              />
              <span className="truncate">{outcome.label}</span>
            </dt>
            <dd className="ml-auto font-medium tabular" data-testid={`outcome-${outcome.id}`}>
              {formatCount(delivery?.outcomes[outcome.id] ?? 0)}
            </dd>
          </div>
        ))}
      </dl>
      {delivery && delivery.adIdsNotKept > 0 && (
        <p className="mt-4 text-[0.8125rem] text-muted">
          Ad click IDs of {formatCount(delivery.adIdsNotKept)} of these events could not be stored, because no
          encryption key was available. The events count.
        </p>
      )}
      {reasons.length > 0 && (
        <>
          <h3 className="mt-5 mb-2 font-medium">Repeats and rejections</h3>
          <Rows
            caption="Repeats and rejections table"
            maxHeight="max-h-60"
            rows={reasons}
            rowKey={(row) => `${row.code} ${row.endpoint} ${row.partner} ${row.outcome}`}
            columns={[
              {
                id: 'reason',
                header: 'Reason',
                cell: (row) => <Reason code={row.code} message={row.message} />,
                className: 'min-w-48',
              },
              { id: 'partner', header: 'Partner', cell: (row) => row.partner || 'None' },
              { id: 'endpoint', header: 'Endpoint', cell: (row) => <Endpoint path={row.endpoint} /> },
              { id: 'count', header: 'Count', numeric: true, cell: (row) => formatCount(row.count) },
            ]}
          />
        </>
      )}
      {partners.length > 0 && (
        <>
          <h3 className="mt-5 mb-2 font-medium">Postbacks by partner</h3>
          <Rows
            caption="Postbacks by partner table"
            maxHeight="max-h-60"
            rows={partners}
            rowKey={(row) => row.partner}
            columns={[
              { id: 'partner', header: 'Partner', cell: partnerName, className: 'min-w-40' },
              { id: 'accepted', header: 'Accepted', numeric: true, cell: (row) => formatCount(row.accepted) },
              { id: 'duplicate', header: 'Duplicates', numeric: true, cell: (row) => formatCount(row.duplicate) },
              { id: 'rejected', header: 'Rejected', numeric: true, cell: (row) => formatCount(row.rejected) },
            ]}
          />
        </>
      )}
      <h3 className="mt-5 mb-2 font-medium">Rejected events</h3>
      {refusals.length === 0 ? (
        <p className="text-muted">No rejected events in this period.</p>
      ) : (
        <Rows
          caption="Rejected events table"
          maxHeight="max-h-60"
          rows={refusals}
          rowKey={(row) => row.id}
          columns={[
            {
              id: 'at',
              header: 'Time',
              cell: (row) => formatDateTime(row.at, website.timezone),
              className: 'whitespace-nowrap tabular',
            },
            {
              id: 'reason',
              header: 'Reason',
              cell: (row) => <Reason code={row.code} message={row.message} />,
              className: 'min-w-48',
            },
            { id: 'partner', header: 'Partner', cell: (row) => row.partner || 'None' },
            { id: 'endpoint', header: 'Endpoint', cell: (row) => <Endpoint path={row.endpoint} /> },
            { id: 'count', header: 'Count', numeric: true, cell: (row) => formatCount(row.count) },
            ...(action && refusals.some((row) => row.isReplayable)
              ? [
                  {
                    id: 'actions',
                    header: <span className="sr-only">Actions</span>,
                    cell: (row: Refusal) => row.isReplayable && action(row),
                  },
                ]
              : []),
          ]}
        />
      )}
    </ChartCard>
  );
}

/** Days of more than two, hours of less. */
function tickOf(series: readonly Point[]): Intl.DateTimeFormatOptions {
  const [first, last] = [series[0], series.at(-1)];
  const hours = first && last ? (Date.parse(last.at) - Date.parse(first.at)) / 3_600_000 : 0;
  return hours > 48 ? { month: 'short', day: 'numeric' } : { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
}

function partnerName({ partner, name }: Delivery['partners'][number]) {
  if (partner === '') return 'No partner named';
  return name ?? `${partner} (unknown)`;
}

function Endpoint({ path }: { readonly path: string }) {
  return <code className="text-[0.8125rem]">{path}</code>;
}

function Reason({ code, message }: { readonly code: string; readonly message: string }) {
  return (
    <>
      <span className="block">{message}</span>
      <code className="text-xs text-muted">{code}</code>
    </>
  );
}

function columns(timezone: string, outcomes: readonly Outcome[]): ChartColumn<Point>[] {
  return [
    {
      id: 'at',
      name: 'time',
      header: 'Time',
      cell: (row) => formatDateTime(row.at, timezone),
      value: (row) => row.at,
      className: 'whitespace-nowrap',
    },
    ...OUTCOMES.filter((outcome) => outcomes.includes(outcome.id)).map((outcome) => ({
      id: outcome.id,
      name: outcome.id,
      header: outcome.label,
      numeric: true,
      cell: (row: Point) => formatCount(row[outcome.id] ?? 0),
      value: (row: Point) => row[outcome.id] ?? 0,
    })),
  ];
}
