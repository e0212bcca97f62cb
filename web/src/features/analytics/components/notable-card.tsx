import { Lightbulb, TrendingDown, TrendingUp, TriangleAlert, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Card } from '@/components/ui/card';
import { cx } from '@/lib/cx';
import type { Notable } from '../lib/notable';

const STYLES: Record<Notable['type'], { readonly Icon: LucideIcon; readonly look: string; readonly word: string }> = {
  growth: { Icon: TrendingUp, look: 'bg-good-soft text-good', word: 'Growth' },
  decline: { Icon: TrendingDown, look: 'bg-bad-soft text-bad', word: 'Decline' },
  opportunity: { Icon: Lightbulb, look: 'bg-brand-soft text-brand', word: 'Opportunity' },
  warning: { Icon: TriangleAlert, look: 'bg-bad-soft text-bad', word: 'Warning' },
};

interface Props<T extends Notable> {
  /** Undefined while loading. */
  readonly insights: readonly T[] | undefined;
  readonly error: unknown;
  readonly onRetry: () => void;
  /** Link to the data behind an insight. */
  readonly look: (insight: T) => ReactNode;
}

export function InsightsCard<T extends Notable>({ insights, error, onRetry, look }: Props<T>) {
  return (
    <Card title="Insights" description="Notable changes">
      {insights ? (
        insights.length === 0 ? (
          <Empty>No unusual changes in the last 30 days.</Empty>
        ) : (
          <ul aria-label="Insights" className="grid gap-x-6 gap-y-4 md:grid-cols-2">
            {insights.map((insight) => {
              const { Icon, look: tone, word } = STYLES[insight.type];
              return (
                <li key={insight.title} className="flex gap-3">
                  <span className={cx('grid size-8 shrink-0 place-items-center rounded-lg', tone)}>
                    <Icon aria-hidden className="size-4" />
                    <span className="sr-only">{word}</span>
                  </span>
                  <div className="min-w-0">
                    <p className="font-medium break-words">{insight.title}</p>
                    <p className="mt-0.5 text-[0.8125rem] text-muted">
                      {insight.text} {look(insight)}
                    </p>
                  </div>
                </li>
              );
            })}
          </ul>
        )
      ) : error ? (
        <ErrorBox error={error} prefix="Error loading insights" onRetry={onRetry} />
      ) : (
        <div role="status" aria-label="Loading Insights">
          <Skeleton className="h-20" />
        </div>
      )}
    </Card>
  );
}
