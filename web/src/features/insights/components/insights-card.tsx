import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { Suspense, useId, useState, type ReactNode } from 'react';
import { useNear } from '@/components/data/below';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Card, surface } from '@/components/ui/card';
import type { Website } from '@/lib/api/types';
import { cx } from '@/lib/cx';
import { formatDay } from '@/lib/dates';
import { DigestChoice } from './digest-choice';
import { DismissInsight } from './dismiss-insight';
import { styleOf } from '../lib/insight-styles';
import { outcomeOf, silenceOf } from '../lib/outcome';
import { useCommand } from '@/lib/api/command';
import { generateInsights, insightsQuery, type Insight } from '../api/insights';

interface Props {
  readonly website: Website;
  /** Links and buttons of an insight: its numbers, its partner, its link. */
  readonly actions: (insight: Insight) => ReactNode;
  readonly className?: string;
}

export function InsightsCard({ website, actions, className }: Props) {
  const insights = useQuery({ ...insightsQuery(website.id), enabled: useNear() });
  const client = useQueryClient();
  // The answer is shown at once and read again: both are the same.
  const generate = useCommand(generateInsights(website.id), {
    onSuccess: (generated) => client.setQueryData(insightsQuery(website.id).queryKey, generated.insights),
  });
  const shown = insights.data;
  // Below what is loading it would have to move.
  const isLoading = insights.isPending;
  return (
    <Card
      title="AI-Powered Insights"
      description="Notable changes"
      {...(className ? { className } : {})}
      actions={
        <Button variant="primary" size="sm" busy={generate.isPending} onClick={() => generate.mutate()}>
          {generate.isPending ? 'Generating...' : 'Generate New'}
        </Button>
      }
    >
      {shown ? (
        shown.length > 0 ? (
          <ul aria-label="AI insights" className="grid items-start gap-3 lg:grid-cols-2">
            {shown.map((insight) => (
              <InsightItem key={insight.id} website={website} insight={insight} actions={actions} />
            ))}
          </ul>
        ) : (
          <Empty className="min-h-32">
            {generate.data
              ? outcomeOf(generate.data)[1]
              : 'No insights available yet. Click "Generate New" to analyze your data.'}
          </Empty>
        )
      ) : insights.error ? (
        <ErrorBox error={insights.error} prefix="Error loading insights" onRetry={() => void insights.refetch()} />
      ) : (
        <div role="status" aria-label="Loading AI insights">
          <Skeleton className="h-32" />
        </div>
      )}
      {!isLoading && (
        <footer className="mt-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-t border-line pt-3 text-[0.8125rem] text-muted">
          <p className="min-w-0 flex-1 basis-64">
            {shown && shown.length > 0
              ? authorNote(shown, generate.data?.silence ?? null)
              : 'Insights also run automatically every day.'}
          </p>
          <DigestChoice />
        </footer>
      )}
    </Card>
  );
}

interface LatestProps extends Props {
  /** Whether the website has had an event; undefined: not known yet. */
  readonly hasData: boolean | undefined;
}

/** The same insights for a page with other cards, without what changes them. */
export function LatestInsights({ website, actions, hasData }: LatestProps) {
  const insights = useQuery(insightsQuery(website.id));
  if (insights.data?.length === 0)
    return (
      <section aria-label="Insights" className={cx(surface, 'self-start px-4 py-2.5 text-muted')}>
        <h2 className="inline font-semibold text-text">Insights</h2>{' '}
        {hasData === false
          ? 'No data yet. They begin with the first weeks of clicks and sales.'
          : 'Nothing unusual in the last 30 days.'}
      </section>
    );
  return (
    <Card title="Insights" description="Notable changes">
      {insights.data ? (
        <ul aria-label="Insights" className="grid items-start gap-3 lg:grid-cols-2">
          {insights.data.map((insight) => (
            <InsightItem key={insight.id} website={website} insight={insight} actions={actions} />
          ))}
        </ul>
      ) : insights.error ? (
        <ErrorBox error={insights.error} prefix="Error loading insights" onRetry={() => void insights.refetch()} />
      ) : (
        <div role="status" aria-label="Loading Insights">
          <Skeleton className="h-20" />
        </div>
      )}
    </Card>
  );
}

/** A model may word and rank insights; its text is accepted only if the evidence supports it. */
function authorNote(insights: readonly Insight[], silence: string | null): string {
  const worded = insights.filter((insight) => insight.narratedBy === 'model').length;
  if (worded === insights.length) return 'AI-written text. Numbers come from your data.';
  if (worded > 0) return 'Some texts are AI-written, the others rule-based. Numbers come from your data.';
  return `Rule-based text${silence === null ? '' : `: ${silenceOf(silence)}`}. Numbers come from your data.`;
}

interface ItemProps extends Pick<Props, 'website' | 'actions'> {
  readonly insight: Insight;
}

function InsightItem({ website, insight, actions }: ItemProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const { Icon, label, destructive, tone } = styleOf(insight.insightType);
  return (
    <li
      className={cx(
        'flex min-w-0 gap-3 rounded-lg border p-3.5',
        destructive ? 'border-bad/30 bg-bad-soft' : 'border-line',
      )}
      data-destructive={destructive}
    >
      <span
        className={cx('grid size-8 shrink-0 place-items-center rounded-lg', destructive ? 'bg-surface text-bad' : tone)}
      >
        <Icon aria-hidden className="size-4" />
        <span className="sr-only">{label}</span>
      </span>
      <div className="min-w-0 flex-1">
        <h3 className={cx('font-medium break-words', destructive && 'text-bad')}>{insight.title}</h3>
        <p className="mt-0.5 text-[0.8125rem] break-words">{insight.content}</p>
        <p className="mt-1.5 flex flex-wrap items-center gap-x-4 gap-y-1 text-[0.8125rem] max-sm:gap-y-0">
          {Number.isFinite(insight.confidenceScore) && (
            <span className="tabular">{`Confidence: ${Math.round(insight.confidenceScore * 100)}%`}</span>
          )}
          <button
            type="button"
            aria-label={`Evidence of: ${insight.title}`}
            aria-expanded={open}
            aria-controls={id}
            onClick={() => setOpen(!open)}
            className="inline-flex items-center gap-1 rounded-md font-medium underline-offset-4 hover:underline max-sm:min-h-10"
          >
            Evidence
            <ChevronDown aria-hidden className={cx('size-3.5 transition-transform', open && 'rotate-180')} />
          </button>
          <Suspense>{actions(insight)}</Suspense>
          <DismissInsight websiteId={website.id} insight={insight} />
        </p>
        <div id={id} hidden={!open} className="mt-2 border-t border-line pt-2 text-[0.8125rem]">
          <dl className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1">
            {insight.evidence.map(({ label, value }) => (
              <div key={label} className="col-span-2 grid grid-cols-subgrid">
                <dt>{label}</dt>
                <dd className="text-right font-medium tabular">{value}</dd>
              </div>
            ))}
          </dl>
          <p className="mt-2">
            {`${span(insight.from, insight.to)}, compared with ${span(insight.comparedFrom, insight.comparedTo)}. ${insight.narratedBy === 'model' ? 'AI-written text.' : 'Rule-based text.'}`}
          </p>
        </div>
      </div>
    </li>
  );
}

const span = (first: string, last: string): string =>
  first === last ? formatDay(first) : `${formatDay(first)} – ${formatDay(last)}`;
