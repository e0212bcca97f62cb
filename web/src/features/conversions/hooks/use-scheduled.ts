import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useCommand } from '@/lib/api/command';
import type { Conversion } from '@/lib/api/types';
import { formatCount, formatMinor } from '@/lib/format';
import { toast, toastWith } from '@/stores/toasts';
import { CONVERSION_READS } from '../api/conversions';
import { scheduleDecision, undoDecisions, type Decision, type Scheduled } from '../api/decisions';

export const UNDO_MS = 10_000;
/** Beyond the last moment: the server's clock, and what it has to write. */
const SETTLE_MS = 1_500;
const DOING = { approve: 'Approving', reject: 'Rejecting' } as const;

export const countOf = (count: number): string => (count === 1 ? '1 conversion' : `${formatCount(count)} conversions`);

/** Decides now, final in ten seconds; a toast offers to undo it. `onDone` gets what is scheduled, and what is not. */
export function useScheduled(websiteId: string, onDone: (decision: Decision, outcome: Scheduled) => void = () => {}) {
  const client = useQueryClient();
  const undoing = useCommand(undoDecisions);
  return useCommand(scheduleDecision(websiteId), {
    onSuccess: (outcome, { decision }) => {
      if (outcome.count > 0) {
        const sum = outcome.commission ? ` · ${formatMinor(outcome.commission)} in commission` : '';
        toastWith(
          `${DOING[decision.kind]} ${countOf(outcome.count)}`,
          `Final in 10 seconds${sum}`,
          { label: 'Undo', run: () => undoing.mutate(outcome.ids) },
          UNDO_MS,
        );
        setTimeout(() => void refreshed(client), UNDO_MS + SETTLE_MS);
      } else if (outcome.refused.length === 0) toast('No pending conversions match');
      onDone(decision, outcome);
    },
  });
}

/** Reads the list again when the first decision in it is final. */
export function useFinal(rows: readonly Pick<Conversion, 'decision'>[]): void {
  const client = useQueryClient();
  const first = rows.reduce<string | null>((found, { decision }) => {
    if (!decision) return found;
    return found === null || decision.dueAt < found ? decision.dueAt : found;
  }, null);
  useEffect(() => {
    if (first === null) return;
    const left = Math.max(0, Date.parse(first) - Date.now()) + SETTLE_MS;
    const timer = setTimeout(() => void refreshed(client), left);
    return () => clearTimeout(timer);
  }, [client, first]);
}

const refreshed = (client: QueryClient) =>
  Promise.all(CONVERSION_READS.map((queryKey) => client.invalidateQueries({ queryKey })));
