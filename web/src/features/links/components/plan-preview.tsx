import { useQuery } from '@tanstack/react-query';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { countOf, formatCount } from '@/lib/format';
import { planQuery, type Change, type LinkPlan } from '../api/bulk';
import type { LinkSelection } from '../lib/selection';

interface Props {
  readonly plan: Plan;
}

export type Plan = ReturnType<typeof usePlan>;

/** What the change would do; nothing is read while there is none. */
export const usePlan = (websiteId: string, selection: LinkSelection, change: Change | null) =>
  useQuery({ ...planQuery(websiteId, selection, change ?? {}), enabled: change !== null });

/** How many links change, and each of the first of them: where it leads now, and where it will. */
export function PlanPreview({ plan }: Props) {
  if (plan.error) return <ErrorBox error={plan.error} onRetry={() => void plan.refetch()} />;
  if (!plan.data) return plan.isFetching ? <Skeleton className="h-40" /> : null;
  return (
    <section aria-label="Preview" aria-busy={plan.isFetching}>
      <p role="status" className="mb-2 font-medium">
        {summary(plan.data)}
      </p>
      <div
        role="group"
        aria-label="Links"
        tabIndex={0}
        className="max-h-72 overflow-y-auto rounded-lg border border-line"
      >
        <ul aria-label="Planned changes" className="divide-y divide-line">
          {plan.data.shown.map((row) => (
            <li key={row.id} className="px-3 py-2 text-[0.8125rem]">
              <span className="font-medium">{row.slug}</span>
              {row.message ? (
                <span className="block break-words text-bad">{row.message}</span>
              ) : (
                <>
                  <span className="block break-all text-muted line-through">{row.before}</span>
                  <span className="block break-all">{row.after}</span>
                  {row.others > 0 && (
                    <span className="block text-muted">{`and ${countOf(row.others, 'other destination')}`}</span>
                  )}
                  {!row.passesClickId && <span className="block text-warn">Can’t pass a click ID</span>}
                </>
              )}
            </li>
          ))}
        </ul>
      </div>
      {plan.data.changed + plan.data.refused > plan.data.shown.length && (
        <p className="mt-1.5 text-[0.8125rem] text-muted">
          {`The first ${formatCount(plan.data.shown.length)} are shown.`}
        </p>
      )}
    </section>
  );
}

function summary({ links, changed, refused }: LinkPlan): string {
  const same = links - changed - refused;
  return [
    `${countOf(changed, 'link')} will change`,
    ...(refused > 0 ? [`${formatCount(refused)} can’t`] : []),
    ...(same > 0
      ? [`${formatCount(same)} ${same === 1 ? 'stays' : 'stay'} as ${same === 1 ? 'it is' : 'they are'}`]
      : []),
  ].join(', ');
}
