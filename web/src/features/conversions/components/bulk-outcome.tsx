import { X } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { messageOf } from '@/lib/api/errors';
import { formatCount } from '@/lib/format';
import type { Decision, Scheduled } from '../api/decisions';
import { countOf } from '../hooks/use-scheduled';

interface Props {
  readonly decision: Decision;
  readonly outcome: Scheduled;
  /** Transaction by conversion, of those on screen. */
  readonly txids: ReadonlyMap<string, string>;
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
}

const SHOWN = 50;
const DONE = { approve: 'approved', reject: 'rejected' } as const;

/** Those that are not decided, one by one, with the reason of each; nothing when everything is decided. */
export function BulkOutcome({ decision, outcome, txids, onOpen, onClose }: Props) {
  const { error } = outcome;
  const refused = refusedOf(decision, outcome);
  if (refused.length === 0 && !error) return null;
  const all = outcome.count + outcome.refused.length;
  return (
    <section role="alert" className="mb-3 rounded-lg border border-bad/30 bg-bad-soft px-4 py-3">
      <div className="flex items-start justify-between gap-3">
        <div className="font-medium text-bad">
          {refused.length > 0 && (
            <p>{`${formatCount(refused.length)} of ${countOf(all)} could not be ${DONE[decision.kind]}`}</p>
          )}
          {error !== null && <p>{`Stopped after ${countOf(all)}: ${messageOf(error)}`}</p>}
        </div>
        <Button size="sm" variant="ghost" aria-label="Dismiss the result" onClick={onClose}>
          <X aria-hidden className="size-3.5" />
        </Button>
      </div>
      {refused.length > 0 && (
        <ul
          aria-label={`Not ${DONE[decision.kind]}`}
          className="mt-2 flex max-h-60 flex-col gap-1 overflow-y-auto text-[0.8125rem]"
        >
          {refused.slice(0, SHOWN).map((result) => (
            <li key={result.id} className="flex flex-wrap gap-x-2">
              <button
                type="button"
                className="rounded text-left font-medium break-all text-brand hover:underline"
                onClick={() => onOpen(result.id)}
              >
                {txids.get(result.id) ?? result.id}
              </button>
              <span className="min-w-0 break-words">{result.message}</span>
            </li>
          ))}
          {refused.length > SHOWN && <li>{`${formatCount(refused.length - SHOWN)} more`}</li>}
        </ul>
      )}
    </section>
  );
}

/** Unattributed ones that were left out on purpose are no failures. */
export const refusedOf = (decision: Decision, outcome: Scheduled) =>
  outcome.refused.filter((result) => decision.unattributed || result.code !== 'unattributed');
