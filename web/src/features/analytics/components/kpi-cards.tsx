import { ArrowDownRight, ArrowRight, ArrowUpRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Sparkline } from '@/components/charts/sparkline';
import { Skeleton } from '@/components/data/states';
import { surface } from '@/components/ui/card';
import type { ClickPoint, Figures, Overview } from '@/lib/api/types';
import { change, describeChange } from '../lib/compare';
import { cx } from '@/lib/cx';
import { countOf, formatCount, formatMoney, formatPercent } from '@/lib/format';
import { comparable, comparisonNote, isPerDay, sameHours } from '../lib/comparison';
import type { Comparison } from '../lib/ranges';

interface Kpi {
  readonly label: string;
  readonly value: (figures: Figures) => number;
  readonly text: (value: number, currency: string) => string;
  readonly detail: (figures: Figures, currency: string) => string;
  readonly spark: (point: ClickPoint) => number;
  readonly color: string;
}

const count = (value: number) => formatCount(value);

const KPIS: readonly Kpi[] = [
  {
    label: 'Total Clicks',
    value: (figures) => figures.clicks.total,
    text: count,
    color: 'var(--c-chart-5)',
    detail: (figures) => `${formatCount(figures.clicks.unique)} unique`,
    spark: (point) => point.clicks,
  },
  {
    label: 'Conversions',
    value: (figures) => figures.conversions.total,
    text: count,
    color: 'var(--c-chart-2)',
    detail: (figures) =>
      `${formatCount(figures.conversions.pending)} pending, ${formatCount(figures.conversions.approved)} approved`,
    spark: (point) => point.conversions,
  },
  {
    label: 'Revenue',
    value: (figures) => figures.revenue.total,
    text: (value, currency) => formatMoney(value, currency),
    color: 'var(--c-chart-1)',
    detail: (figures, currency) => `${formatMoney(figures.revenue.pending, currency)} pending`,
    spark: (point) => point.revenue,
  },
  {
    label: 'Conversion Rate',
    value: (figures) => figures.conversion_rate,
    text: (value) => formatPercent(value),
    color: 'var(--c-chart-3)',
    detail: (figures) => `of ${countOf(figures.clicks.total, 'click')}`,
    spark: (point) => (point.clicks > 0 ? point.conversions / point.clicks : 0),
  },
];

interface Props {
  readonly overview: Overview | undefined;
  /** Excludes the incomplete bucket, which would always look like a decline. */
  readonly points: readonly ClickPoint[];
  readonly compare: Comparison;
  /** Loading failed: the page shows the error, the cards only stop loading. */
  readonly failed?: boolean;
}

export function KpiCards({ overview, points, compare, failed = false }: Props) {
  const before = comparable(overview, compare);
  const note = comparisonNote(overview);
  return (
    <ul aria-label="Summary" className="grid grid-cols-1 gap-3 min-[480px]:grid-cols-2 sm:gap-4 xl:grid-cols-4">
      {KPIS.map((kpi) => (
        <li key={kpi.label} className={cx(surface, 'p-4 sm:p-5')}>
          <h2 className="text-[0.8125rem] font-medium text-muted">{kpi.label}</h2>
          {overview ? (
            <>
              <div className="mt-1 flex items-end justify-between gap-3">
                <p className="text-2xl font-semibold tracking-tight tabular" data-testid={`kpi-${kpi.label}`}>
                  {kpi.text(kpi.value(overview), overview.currency)}
                </p>
                <Sparkline values={points.map(kpi.spark)} color={kpi.color} />
              </div>
              <div className="mt-2 min-h-5">
                {note && compare !== 'none' ? (
                  <p className="text-[0.8125rem] text-muted">{note}</p>
                ) : (
                  <Delta
                    current={kpi.value(overview)}
                    previous={before && kpi.value(before)}
                    compare={compare}
                    perDay={isPerDay(overview, compare)}
                    title={sameHours(overview)}
                  />
                )}
              </div>
              <p className="mt-0.5 text-[0.8125rem] text-muted tabular">{kpi.detail(overview, overview.currency)}</p>
            </>
          ) : failed ? (
            <p className="mt-1 mb-[3.125rem] text-2xl font-semibold text-muted">–</p>
          ) : (
            <div role="status" aria-label={`Loading ${kpi.label}`}>
              <Skeleton className="mt-2 h-7 w-28" />
              <Skeleton className="mt-3 h-4 w-40" />
              <Skeleton className="mt-1.5 h-4 w-24" />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

interface DeltaProps {
  readonly current: number;
  readonly previous: number | null;
  readonly compare: Comparison;
  readonly goodWhen?: 'up' | 'down';
  readonly short?: boolean;
  /** The periods differ in length: averages per day are compared. */
  readonly perDay?: boolean;
  /** What is compared with what. */
  readonly title?: string | undefined;
}

export function Delta({
  current,
  previous,
  compare,
  goodWhen = 'up',
  short = false,
  perDay = false,
  title,
}: DeltaProps): ReactNode {
  // Nothing in both is no change.
  if (previous === null || compare === 'none' || (current === 0 && previous === 0)) return null;
  const result = change(current, previous, goodWhen);
  const Icon = { up: ArrowUpRight, down: ArrowDownRight, same: ArrowRight }[result.direction];
  const color = { good: 'text-good', bad: 'text-bad', neutral: 'text-muted' }[result.meaning];
  return (
    <span title={title} className="inline-flex items-center gap-1 text-[0.8125rem] whitespace-nowrap">
      <span className={cx('inline-flex items-center gap-0.5 font-medium tabular', color, short && 'text-xs')}>
        {!short && <Icon aria-hidden className="size-3.5" />}
        {describeChange(result)}
      </span>
      {short ? (
        <span className="sr-only">{versus(compare, perDay)}</span>
      ) : (
        <span className="text-muted">{versus(compare, perDay)}</span>
      )}
    </span>
  );
}

const VERSUS: Record<Comparison, string> = {
  previous: 'vs previous',
  year: 'vs year before',
  custom: 'vs chosen period',
  none: '',
};
const versus = (compare: Comparison, perDay: boolean): string => (perDay ? 'per day' : VERSUS[compare]);
