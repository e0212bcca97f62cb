import { useQuery } from '@tanstack/react-query';
import { ListTree, MessageSquarePlus } from 'lucide-react';
import { lazy, Suspense, useMemo, useState, type CSSProperties } from 'react';
import { LineChart } from '@/components/charts/line-chart';
import { Updated } from '@/components/charts/updated';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Boundary } from '@/components/data/boundary';
import { Button } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import type { Figures, Overview, Website } from '@/lib/api/types';
import { cx } from '@/lib/cx';
import { wallClock } from '@/lib/dates';
import { formatCompact, formatCount, formatMoney, formatPercent } from '@/lib/format';
import { useIsPhone } from '@/lib/browser/media';
import { annotationsQuery } from '../api/annotations';
import { useSeries } from '../hooks/use-series';
import { bucketDays, eventsOf, type EventsRequest } from '../lib/events';
import { comparable, comparisonNote, isPerDay, lengthNote, sameHours } from '../lib/comparison';
import { linePoints } from '../lib/line-points';
import { marksOf } from '../lib/marks';
import { isCount, isMoney, metricName, metricText, type ChartMetric } from '../lib/metrics';
import { COMPARISON_LABELS } from '../lib/ranges';
import type { AnalyticsState } from '../lib/search';
import { Delta } from './kpi-cards';

const AnnotationsDialog = lazy(() =>
  import('./annotations-dialog').then((module) => ({ default: module.AnnotationsDialog })),
);

interface Kpi {
  readonly metric: ChartMetric;
  readonly label: string;
  readonly color: string;
  readonly value: (figures: Figures) => number;
  readonly detail: (figures: Figures, currency: string) => string;
}

const epc = ({ clicks, revenue }: Figures): number => (clicks.total > 0 ? revenue.total / clicks.total : 0);

/** In the order in which affiliates ask. */
const KPIS: readonly Kpi[] = [
  {
    metric: 'clicks',
    label: 'Total Clicks',
    color: 'var(--c-chart-5)',
    value: (figures) => figures.clicks.total,
    detail: (figures) => `${formatCount(figures.clicks.unique)} unique`,
  },
  {
    metric: 'visitors',
    label: 'Visitors',
    color: 'var(--c-chart-4)',
    value: (figures) => figures.visitors,
    detail: (figures) => `${formatCount(figures.pageviews)} page views`,
  },
  {
    metric: 'conversions',
    label: 'Conversions',
    color: 'var(--c-chart-2)',
    value: (figures) => figures.conversions.total,
    detail: (figures) => `${formatCount(figures.conversions.pending)} pending`,
  },
  {
    metric: 'revenue',
    label: 'Revenue',
    color: 'var(--c-chart-1)',
    value: (figures) => figures.revenue.total,
    detail: (figures, currency) => `${formatMoney(figures.revenue.pending, currency)} pending`,
  },
  {
    metric: 'epc',
    label: 'EPC',
    color: 'var(--c-chart-6)',
    value: epc,
    detail: () => 'revenue per click',
  },
  {
    metric: 'conversion_rate',
    label: 'Conversion Rate',
    color: 'var(--c-chart-3)',
    value: (figures) => figures.conversion_rate,
    detail: () => 'of clicks',
  },
];

interface Props {
  readonly website: Website;
  readonly state: AnalyticsState;
  readonly onChange: (state: AnalyticsState) => void;
  readonly overview: Overview | undefined;
  readonly updatedAt: number;
  readonly fetching: boolean;
  readonly failed: boolean;
  readonly onEvents: (request: EventsRequest) => void;
}

/** The numbers of the range, and one of them over time: a click on a number draws it. */
export function MainCard(props: Props) {
  const { state, onChange, overview, failed, onEvents } = props;
  const note = comparisonNote(overview) ?? lengthNote(overview, state.compare);
  return (
    <section aria-label="Summary" className={cx(surface, 'min-w-0 overflow-hidden')}>
      <ul className="grid grid-cols-2 gap-px border-b border-line bg-line sm:grid-cols-3 xl:grid-cols-6">
        {KPIS.map((kpi) => (
          <li key={kpi.metric} className="relative bg-surface">
            <KpiButton
              kpi={kpi}
              overview={overview}
              failed={failed}
              compare={state.compare}
              isShown={state.metric === kpi.metric}
              onShow={() => onChange({ ...state, metric: kpi.metric })}
            />
            <button
              type="button"
              title="View events"
              aria-label={`View events: ${kpi.label}`}
              className="absolute top-1.5 right-1.5 grid size-8 place-items-center rounded-md text-muted hover:bg-sunken hover:text-text max-sm:size-10"
              onClick={() =>
                onEvents({ title: kpi.label, of: eventsOf(kpi.metric), period: state, filters: state.filters })
              }
            >
              <ListTree aria-hidden className="size-3.5" />
            </button>
          </li>
        ))}
      </ul>
      {note && state.compare !== 'none' && (
        <p className="border-b border-line bg-sunken px-4 py-2 text-[0.8125rem] text-muted">{note}</p>
      )}
      <Chart {...props} />
    </section>
  );
}

interface KpiProps {
  readonly kpi: Kpi;
  readonly overview: Overview | undefined;
  readonly failed: boolean;
  readonly compare: AnalyticsState['compare'];
  readonly isShown: boolean;
  readonly onShow: () => void;
}

function KpiButton({ kpi, overview, failed, compare, isShown, onShow }: KpiProps) {
  const before = comparable(overview, compare);
  return (
    <button
      type="button"
      aria-pressed={isShown}
      onClick={onShow}
      className={cx(
        'flex h-full min-h-27 w-full flex-col px-4 py-3 text-left hover:bg-sunken focus-visible:-outline-offset-2',
        isShown && 'shadow-[inset_0_3px_0_var(--kpi)]',
      )}
      style={{ '--kpi': kpi.color } as CSSProperties}
    >
      <span className={cx('text-[0.8125rem] font-medium', isShown ? 'text-text' : 'text-muted')}>{kpi.label}</span>
      {overview ? (
        <>
          <span className="text-xl font-semibold tracking-tight tabular" data-testid={`kpi-${kpi.label}`}>
            {metricText(kpi.metric, kpi.value(overview), overview.currency)}
          </span>
          <span className="flex min-h-5 items-center">
            <Delta
              current={kpi.value(overview)}
              previous={before && kpi.value(before)}
              compare={compare}
              perDay={isPerDay(overview, compare)}
              title={sameHours(overview)}
            />
          </span>
          <span className="truncate text-xs text-muted tabular">{kpi.detail(overview, overview.currency)}</span>
        </>
      ) : failed ? (
        <span className="text-xl font-semibold text-muted">–</span>
      ) : (
        <span role="status" aria-label={`Loading ${kpi.label}`}>
          <Skeleton className="mt-1 h-6 w-24" />
          <Skeleton className="mt-2 h-4 w-20" />
        </span>
      )}
    </button>
  );
}

/** The first rows of the cards below it are in the first view. */
const HEIGHT = 200;
const PHONE_HEIGHT = 220;

function Chart({ website, state, overview, updatedAt, fetching, failed, onEvents }: Props) {
  const phone = useIsPhone();
  const { timezone, currency } = website;
  const { query, points, earlierPoints, compared, compare, partial } = useSeries(website, state, state);
  const { metric, range, from, to } = state;
  const rows = useMemo(
    () => linePoints(metric, { range, from, to }, points, earlierPoints, compared, timezone),
    [metric, range, from, to, points, earlierPoints, compared, timezone],
  );
  const annotations = useQuery(annotationsQuery(website.id, state));
  const [annotating, setAnnotating] = useState(false);
  const marks = useMemo(() => marksOf(annotations.data ?? [], rows, timezone), [annotations.data, rows, timezone]);
  const [textOf, axisText] = useMemo(
    () => [(value: number) => metricText(metric, value, currency), axisTextOf(metric, currency)] as const,
    [metric, currency],
  );
  const name = metricName(metric);
  const height = phone ? PHONE_HEIGHT : HEIGHT;
  const empty = rows.every((row) => !row.value && !row.previous);
  return (
    <div className="px-4 pt-3 pb-2">
      <h2 className="sr-only">{name} over time</h2>
      {query.error && !query.data && failed ? (
        <Empty className={phone ? 'h-55' : 'h-50'}>Not available right now.</Empty>
      ) : query.error && !query.data ? (
        <ErrorBox error={query.error} prefix={`Error loading ${name}`} onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <div role="status" aria-label={`Loading ${name} over time`}>
          <Skeleton className={phone ? 'h-55' : 'h-50'} />
        </div>
      ) : empty ? (
        <Empty
          className={phone ? 'h-55' : 'h-50'}
        >{`No ${name === 'EPC' ? name : name.toLowerCase()} in this period.`}</Empty>
      ) : (
        <LineChart
          label={`${name} over time`}
          name={name}
          points={rows}
          color={KPIS.find((kpi) => kpi.metric === metric)?.color ?? 'var(--c-chart-8)'}
          textOf={textOf}
          axisText={axisText}
          whole={isCount(metric)}
          partial={partial}
          height={height}
          onChoose={(index) => {
            const row = rows[index];
            if (!row) return;
            const period = bucketDays(state, wallClock(row.key, timezone), points);
            onEvents({ title: `${name}, ${row.label}`, of: eventsOf(metric), period, filters: state.filters });
          }}
          marks={marks}
        />
      )}
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-4 text-xs text-muted">
        <span>
          {partial && 'Dashed: current day, not complete. '}
          {compare !== 'none' && `Dotted: ${COMPARISON_LABELS[compare]}. `}
          {state.compare !== 'none' && sameHours(overview)}
        </span>
        <span className="flex items-center gap-3">
          <Button size="sm" variant="ghost" className="max-sm:h-10" onClick={() => setAnnotating(true)}>
            <MessageSquarePlus aria-hidden className="size-3.5" />
            Annotations
          </Button>
          <Updated at={updatedAt} fetching={fetching} />
        </span>
      </div>
      {annotating && (
        <Boundary fallback={null}>
          <Suspense fallback={null}>
            <AnnotationsDialog website={website} period={state} onClose={() => setAnnotating(false)} />
          </Suspense>
        </Boundary>
      )}
    </div>
  );
}

function axisTextOf(metric: ChartMetric, currency: string): (value: number) => string {
  if (isMoney(metric)) return (value) => formatMoney(value, currency, value >= 10 || value === 0 ? 0 : 2);
  return metric === 'conversion_rate' ? (value) => formatPercent(value, value < 10 ? 1 : 0) : formatCompact;
}
