import { useQuery } from '@tanstack/react-query';
import { Compass, Minus, Plus, Sparkles } from 'lucide-react';
import { Empty, ErrorBox, Loading } from '@/components/data/states';
import { Badge, type Tone } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { cx } from '@/lib/cx';
import { formatDay } from '@/lib/dates';
import { countOf, formatMoney } from '@/lib/format';
import { recommendationsQuery, wordPrograms, type Recommendation } from '../api/matching';
import { useApply } from '../hooks/use-apply';
import { WordingLine } from './wording';
import {
  belowNote,
  commissionOf,
  cookieOf,
  emptyNote,
  MAX_WORDED,
  partName,
  paymentOf,
  scoreTone,
  STATUSES,
  verdictOf,
} from '../lib/labels';

const SCORES: Readonly<Record<string, string>> = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
};
const APPROVAL: Readonly<Record<string, Tone>> = { easy: 'good', medium: 'warn', hard: 'bad' };

/** Mounted, and so loaded, only while its tab is active (spec §4). */
export function RecommendationsPanel() {
  const found = useQuery(recommendationsQuery);
  if (found.error && !found.data)
    return <ErrorBox error={found.error} prefix="Error loading recommendations" onRetry={() => void found.refetch()} />;
  if (!found.data) return <Loading label="Loading recommendations" />;
  const { recommendations, min_score: least, empty_reason: emptyReason, results_known: known, wording } = found.data;
  if (recommendations.length === 0)
    return (
      <Empty icon={<Compass aria-hidden className="size-5" />}>
        <p>No matching programs found yet. We&apos;re constantly adding new programs!</p>
        {emptyReason && <p className="mt-2">{emptyNote(emptyReason, least)}</p>}
      </Empty>
    );
  return (
    <>
      {!known && (
        <p role="status" className="mb-4 rounded-lg bg-warn-soft px-4 py-3 text-warn">
          Your results are unavailable right now: programs are scored without them.
        </p>
      )}
      <WordingLine
        wording={wording}
        command={wordPrograms}
        ids={recommendations.slice(0, MAX_WORDED).map((item) => item.id)}
      />
      <ul className="grid gap-5 lg:grid-cols-2">
        {recommendations.map((item) => (
          <li key={item.id} className={cx(surface, 'flex flex-col p-5')}>
            <Program item={item} />
          </li>
        ))}
      </ul>
      <p className="mt-4 text-[0.8125rem] text-muted">{belowNote(least)}</p>
    </>
  );
}

function Program({ item }: { readonly item: Recommendation }) {
  const { start, busy, blocked } = useApply();
  const percent = Math.round(item.match_score * 100);
  const verdict = verdictOf(item.recommendation);
  return (
    <article aria-label={item.companyName} className="flex flex-1 flex-col">
      <header className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-lg font-semibold">{item.companyName}</h2>
          <p className="text-muted">{item.primaryCategory}</p>
        </div>
        <p
          className={cx(
            'rounded-lg px-2.5 py-1 text-base font-semibold whitespace-nowrap',
            SCORES[scoreTone(item.match_score)],
          )}
        >
          {percent}% match
        </p>
      </header>
      <p className="mt-3 flex flex-wrap gap-1.5">
        <Badge tone={verdict.tone}>{verdict.label}</Badge>
        <Badge tone="brand">{commissionOf(item)}</Badge>
        <Badge>{cookieOf(item.cookieDuration)}</Badge>
        {item.toBeChecked && <Badge tone="warn">Not verified yet</Badge>}
      </p>
      <p className="mt-3">{item.description}</p>
      {item.why !== null && (
        <p className="mt-3 flex gap-2 rounded-lg bg-brand-soft px-3 py-2">
          <Sparkles aria-hidden className="mt-0.5 size-4 shrink-0 text-brand" />
          <span className="min-w-0">
            <span className="sr-only">AI summary: </span>
            {item.why}
          </span>
        </p>
      )}
      <div className="mt-4 grid gap-4 sm:grid-cols-2">
        <Reasons title="Pros" texts={item.pros} good />
        <Reasons title="Cons" texts={item.cons} />
      </div>
      <Parts item={item} percent={percent} />
      <p className="mt-3 text-[0.8125rem] text-muted">
        {`${item.source}. Recorded ${formatDay(item.recordedOn)}, ${item.checkedOn ? `checked ${formatDay(item.checkedOn)}` : 'not checked yet'}; ${item.toBeChecked ? 'review due' : 'next review'} ${formatDay(item.reviewOn)}.`}
      </p>
      <footer className="mt-auto flex flex-wrap items-center gap-x-3 gap-y-2 pt-4">
        <Badge tone={APPROVAL[item.approvalDifficulty] ?? 'neutral'}>{`Approval: ${item.approvalDifficulty}`}</Badge>
        <Badge>{paymentOf(item.paymentFrequency)}</Badge>
        {item.applicationStatus && (
          <Badge tone={STATUSES[item.applicationStatus].tone}>{STATUSES[item.applicationStatus].label}</Badge>
        )}
        <Button
          variant="primary"
          className="ml-auto"
          busy={busy}
          aria-label={`Apply Now: ${item.companyName}`}
          onClick={({ detail }) => detail < 2 && start(item.id)}
        >
          Apply Now
        </Button>
      </footer>
      {blocked && (
        <p role="status" className="mt-3">
          Your browser blocked the new window:{' '}
          <a href={blocked} target="_blank" rel="noopener" className="font-medium text-brand underline">
            open {item.companyName}&apos;s page
          </a>
        </p>
      )}
    </article>
  );
}

function Reasons({
  title,
  texts,
  good = false,
}: {
  readonly title: string;
  readonly texts: readonly string[];
  readonly good?: boolean;
}) {
  const Icon = good ? Plus : Minus;
  return (
    <section>
      <h3 className="mb-1 font-semibold">{title}</h3>
      {texts.length === 0 && <p className="text-muted">None</p>}
      <ul className="flex flex-col gap-1">
        {texts.map((text) => (
          <li key={text} className="flex gap-1.5">
            <Icon aria-hidden className={cx('mt-1 size-3.5 shrink-0', good ? 'text-good' : 'text-bad')} />
            <span className="min-w-0">{text}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The score, part by part: points of how many, and why. */
function Parts({ item, percent }: { readonly item: Recommendation; readonly percent: number }) {
  return (
    <details className="mt-4">
      <summary className="cursor-pointer font-medium text-brand">Why {percent}%</summary>
      <div role="region" aria-label={`Score of ${item.companyName}`} tabIndex={0} className="mt-2 overflow-x-auto">
        <table className="w-full text-left text-[0.8125rem]">
          <thead className="text-muted">
            <tr>
              <th scope="col" className="py-1 pr-3 font-medium">
                Part
              </th>
              <th scope="col" className="py-1 pr-3 text-right font-medium">
                Points
              </th>
              <th scope="col" className="py-1 font-medium">
                Reason
              </th>
            </tr>
          </thead>
          <tbody>
            {item.parts.map((part) => (
              <tr key={part.name} className="border-t border-line align-top">
                <th scope="row" className="py-1 pr-3 font-medium whitespace-nowrap">
                  {partName(part.name)}
                </th>
                <td className="tabular py-1 pr-3 text-right whitespace-nowrap">{`${(part.points * 100).toFixed(1)} of ${(part.weight * 100).toFixed(0)}`}</td>
                <td className="py-1">{part.why}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {item.results && (
          <p className="mt-2 text-muted">
            {`Your last 90 days: ${countOf(item.results.clicks, 'click')}, ${countOf(item.results.conversions, 'conversion')}, ${formatMoney(item.results.epc, item.results.currency)} per click.`}
          </p>
        )}
      </div>
    </details>
  );
}
