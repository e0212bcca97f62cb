import { useQuery } from '@tanstack/react-query';
import { Skeleton } from '@/components/data/states';
import { countOf, formatCount } from '@/lib/format';
import { projectionQuery, type Action, type ProjectionDetail } from '../api/operations';
import { ReasonDialog } from './dialogs';
import { candidateOf, formatBytes, formatSpan, LABELS } from '../lib/format';

interface Props {
  readonly name: string;
  readonly action: Action;
  readonly onClose: () => void;
  readonly onConfirm: (reason: string, force: boolean) => void;
}

const TEXTS: Readonly<Record<Action, string>> = {
  pause: 'Every generation stops after its current step. Numbers stop updating until you resume.',
  resume: 'It continues from its last position.',
  rebuild: 'A new generation is built from the event log next to the live one. It is not visible until it is promoted.',
  verify:
    'The rebuilt generation is compared with the live one, bit by bit. Both are paused at the same log position while this runs.',
  promote: 'The rebuilt generation goes live. The switch is instant. The previous generation is kept for 7 days.',
  rollback: 'The previous generation catches up and goes live again.',
  cancel: 'The build is canceled and its tables are dropped. The live generation is not affected.',
};

export function ActionDialog({ name, action, onClose, onConfirm }: Props) {
  const detail = useQuery(projectionQuery(name)).data;
  const differs = action === 'promote' && detail !== undefined && lastComparison(detail)?.isEqual === false;
  return (
    <ReasonDialog
      title={`${LABELS[action]} ${name}`}
      description={TEXTS[action]}
      confirm={LABELS[action]}
      danger={differs || action === 'cancel'}
      typed={differs ? name : undefined}
      onClose={onClose}
      onConfirm={(reason) => onConfirm(reason, differs)}
    >
      {action === 'rebuild' && (detail ? <Cost detail={detail} /> : <Skeleton className="h-16" />)}
      {action === 'promote' && detail && <LastComparison detail={detail} />}
    </ReasonDialog>
  );
}

function Cost({ detail: { rebuild, kind } }: { readonly detail: ProjectionDetail }) {
  const rows = [
    ['Records to read', formatCount(rebuild.events)],
    ['Estimated time', rebuild.seconds === null ? 'Unknown: it was not built before' : formatSpan(rebuild.seconds)],
    ['Disk needed', rebuild.bytes === null ? 'unknown while ClickHouse is not responding' : formatBytes(rebuild.bytes)],
    [kind === 'clickhouse' ? 'Tables' : 'Table', rebuild.tables.join(', ')],
  ] as const;
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 rounded-lg bg-sunken p-3">
      {rows.map(([term, value]) => (
        <div key={term} className="contents">
          <dt className="text-muted">{term}</dt>
          <dd className="min-w-0 break-words tabular">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function LastComparison({ detail }: { readonly detail: ProjectionDetail }) {
  const comparison = lastComparison(detail);
  const text = !comparison
    ? 'The rebuilt generation has not been compared with the live one.'
    : comparison.isEqual
      ? `Compared: generation ${comparison.rebuilt} is identical to the live one.`
      : `Compared: ${countOf(comparison.differenceCount, 'row differs', 'rows differ')} from the live generation.`;
  return (
    <p
      className={
        comparison?.isEqual === false ? 'rounded-lg bg-bad-soft px-3 py-2 text-bad' : 'rounded-lg bg-sunken px-3 py-2'
      }
    >
      {text}
    </p>
  );
}

/** The last finished comparison of the generation that is under way. */
export function lastComparison(detail: ProjectionDetail) {
  const generation = candidateOf(detail)?.generation;
  const request = detail.requests.find(
    (item) => item.action === 'verify' && item.state === 'done' && item.generation === generation,
  );
  return request?.comparison ?? null;
}
