import { useMutation, useQueryClient } from '@tanstack/react-query';
import { messageOf } from '@/lib/api/errors';
import { toast, toastError } from '@/stores/toasts';
import { decideMany, type Bulk, type Which } from './ledger';

const DONE = { approve: 'approved', reject: 'rejected' } as const;

export const countOf = (count: number): string => (count === 1 ? '1 conversion' : `${count} conversions`);

/** Decides many; `onDone` gets the ids that could not be decided. */
export function useBulk(onDone: (failed: readonly string[]) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ bulk, which }: { bulk: Bulk; which: Which }) => decideMany(bulk, which),
    onSuccess: (results, { bulk }) => {
      const failed = results.filter((result) => !result.ok);
      if (failed.length === 0) toast(`${countOf(results.length)} ${DONE[bulk.kind]}`);
      else toastError(`${failed.length} of ${countOf(results.length)} could not be ${DONE[bulk.kind]}`, failed[0]?.message ?? undefined);
      onDone(failed.map((result) => result.id));
    },
    onError: (error, { bulk }) => toastError(`Failed to ${bulk.kind}`, messageOf(error)),
    onSettled: () =>
      client.invalidateQueries({ predicate: ({ queryKey }) => ['conversions', 'statements', 'explanation', 'analytics'].includes(String(queryKey[0])) }),
  });
}
