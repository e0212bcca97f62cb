import { useQuery } from '@tanstack/react-query';
import { MiniBars } from '@/components/charts/mini-bars';
import { Empty } from '@/components/data/states';
import { formatIn } from '@/lib/dates';
import { formatCount } from '@/lib/format';
import { conversionSeriesQuery, type AnalyticsParams } from '../api/analytics';

const PARTS = [
  { id: 'approved', label: 'approved', color: 'var(--c-chart-2)' },
  { id: 'pending', label: 'pending', color: 'var(--c-chart-3)' },
  { id: 'reversed', label: 'reversed', color: 'var(--c-chart-4)' },
  { id: 'rejected', label: 'rejected', color: 'var(--c-chart-6)' },
] as const;

/** Conversions over time by what was decided; the sums are those of the summary. */
export function StatusBars({ params, timezone }: { readonly params: AnalyticsParams; readonly timezone: string }) {
  const { data } = useQuery(conversionSeriesQuery(params));
  const series = data?.data ?? [];
  const sums = PARTS.map((part) => ({ ...part, sum: series.reduce((sum, point) => sum + point[part.id], 0) }));
  if (!data) return <div aria-hidden className="h-22" />;
  if (sums.every((part) => part.sum === 0)) return <Empty>No conversions in this period.</Empty>;
  const text = sums.map((part) => `${formatCount(part.sum)} ${part.label}`).join(', ');
  return (
    <div>
      <MiniBars
        className="h-14"
        label={`Conversions over time: ${text}`}
        bars={series.map((point) => ({
          key: point.date,
          tick: formatIn(point.date, timezone, { month: 'short', day: 'numeric' }),
          label: `${formatIn(point.date, timezone, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })}: ${PARTS.map((part) => `${point[part.id]} ${part.label}`).join(', ')}`,
          parts: PARTS.map((part) => ({ value: point[part.id], color: part.color })),
        }))}
      />
      <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-[0.8125rem] text-muted">
        {sums.map((part) => (
          <li key={part.id} className="flex items-center gap-1.5">
            <span aria-hidden className="size-2 rounded-full" style={{ background: part.color }} />
            <span className="tabular">{formatCount(part.sum)}</span> {part.label}
          </li>
        ))}
      </ul>
    </div>
  );
}
