import { useQuery } from '@tanstack/react-query';
import { Skeleton } from '@/components/data/states';
import { countOf, formatCount } from '@/lib/format';
import { projectionQuery, type Action, type ProjectionDetail } from './queries';
import { ReasonDialog } from './reason-dialog';
import { candidateOf, formatBytes, formatSpan, LABELS } from './shown';

interface Props {
  readonly name: string;
  readonly action: Action;
  readonly onClose: () => void;
  readonly onConfirm: (reason: string, force: boolean) => void;
}

const TEXTS: Readonly<Record<Action, string>> = {
  pause: 'Every generation stops after its current step. Figures stand still until it is resumed.',
  resume: 'It reads on from where it stopped.',
  rebuild: 'A new generation is built from the log beside the live one. Nobody sees it before it is promoted.',
  verify: 'The rebuilt generation is compared with the live one, bit by bit. Both are held at one place of the log for the moment that this takes.',
  promote: 'The rebuilt generation becomes the live one: a switch of views. The one before is kept for 7 days.',
  rollback: 'The generation that was live before becomes the live one again. It catches up first.',
  cancel: 'The build is given up and its tables are dropped. The live generation is not touched.',
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
      {action === 'promote' && detail && <LastLook detail={detail} />}
    </ReasonDialog>
  );
}

function Cost({ detail: { rebuild, kind } }: { readonly detail: ProjectionDetail }) {
  const rows = [
    ['Records to read', formatCount(rebuild.events)],
    ['Estimated time', rebuild.seconds === null ? 'Not known: it was not built before' : formatSpan(rebuild.seconds)],
    ['Disk needed', rebuild.bytes === null ? 'unknown while ClickHouse does not answer' : formatBytes(rebuild.bytes)],
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

function LastLook({ detail }: { readonly detail: ProjectionDetail }) {
  const comparison = lastComparison(detail);
  const text = !comparison
    ? 'The rebuilt generation has not been compared with the live one.'
    : comparison.isEqual
      ? `Compared: generation ${comparison.rebuilt} is equal to the live one.`
      : `Compared: ${countOf(comparison.differenceCount, 'row differs', 'rows differ')} from the live generation.`;
  return <p className={comparison?.isEqual === false ? 'rounded-lg bg-bad-soft px-3 py-2 text-bad' : 'rounded-lg bg-sunken px-3 py-2'}>{text}</p>;
}

/** The last finished comparison of the generation that is under way. */
export function lastComparison(detail: ProjectionDetail) {
  const generation = candidateOf(detail)?.generation;
  const request = detail.requests.find((item) => item.action === 'verify' && item.state === 'done' && item.generation === generation);
  return request?.comparison ?? null;
}
