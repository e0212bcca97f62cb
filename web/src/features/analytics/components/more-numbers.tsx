// What else an overview tells: below the charts, where it is fetched late.
import { Skeleton } from '@/components/data/states';
import type { Figures, Overview } from '@/lib/api/types';
import { formatCount, formatMoney } from '@/lib/format';
import { comparable, isPerDay, sameHours } from '../lib/comparison';
import type { AnalyticsState } from '../lib/search';
import { Delta } from './kpi-cards';

interface Props {
  readonly overview: Overview | undefined;
  readonly failed: boolean;
  readonly compare: AnalyticsState['compare'];
  readonly currency: string;
}

export function MoreNumbers({ overview, failed, compare, currency }: Props) {
  const before = comparable(overview, compare);
  const money = (value: number) => formatMoney(value, overview?.currency ?? currency);
  const items: readonly {
    readonly label: string;
    readonly value: (figures: Figures) => number;
    readonly text: (value: number) => string;
    readonly goodWhen?: 'down';
  }[] = [
    { label: 'Page views', value: (f) => f.pageviews, text: formatCount },
    { label: 'Active partners', value: (f) => f.revenue.active_partners, text: formatCount },
    { label: 'Avg. commission', value: (f) => f.conversions.average_commission, text: money },
    { label: 'Approved revenue', value: (f) => f.revenue.approved, text: money },
    { label: 'Reversed revenue', value: (f) => f.revenue.reversed, text: money, goodWhen: 'down' },
    { label: 'Rejected', value: (f) => f.conversions.rejected, text: formatCount, goodWhen: 'down' },
    { label: 'Reversed', value: (f) => f.conversions.reversed, text: formatCount, goodWhen: 'down' },
  ];
  return (
    <dl className="mt-4 grid grid-cols-2 gap-x-4 gap-y-2 border-t border-line pt-3 sm:grid-cols-4">
      {items.map((item) => (
        <div key={item.label} className="min-w-0">
          <dt className="truncate text-xs text-muted">{item.label}</dt>
          <dd className="flex min-h-6 flex-wrap items-baseline gap-x-1.5 font-medium tabular">
            {overview ? (
              item.text(item.value(overview))
            ) : failed ? (
              <span className="text-muted">–</span>
            ) : (
              <Skeleton className="my-1 h-4 w-16" />
            )}
            {overview && before && (
              <Delta
                current={item.value(overview)}
                previous={item.value(before)}
                compare={compare}
                perDay={isPerDay(overview, compare)}
                title={sameHours(overview)}
                goodWhen={item.goodWhen ?? 'up'}
                short
              />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
