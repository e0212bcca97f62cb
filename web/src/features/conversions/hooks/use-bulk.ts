import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { messageOf } from '@/lib/api/errors';
import { formatCount } from '@/lib/format';
import { toast, toastError } from '@/stores/toasts';
import { decideMany, type Bulk, type Outcome, type Which } from '../api/ledger';

export const DONE = { approve: 'approved', reject: 'rejected' } as const;

export const countOf = (count: number): string => (count === 1 ? '1 conversion' : `${formatCount(count)} conversions`);

/** Bulk decision; `onDone` gets the result of each conversion. */
export function useBulk(onDone: (kind: Bulk['kind'], outcome: Outcome) => void) {
  const client = useQueryClient();
  const wanted = useRef(true);
  const [count, setCount] = useState(0);
  const mutation = useMutation({
    mutationFn: ({ bulk, which }: { bulk: Bulk; which: Which }) => {
      wanted.current = true;
      setCount(0);
      return decideMany(bulk, which, setCount, () => wanted.current);
    },
    onSuccess: (outcome, { bulk }) => {
      const made = outcome.results.filter((result) => result.ok).length;
      if (made > 0) toast(`${countOf(made)} ${DONE[bulk.kind]}`);
      onDone(bulk.kind, outcome);
    },
    onError: (error, { bulk }) => toastError(`Failed to ${bulk.kind}`, messageOf(error)),
    onSettled: () =>
      client.invalidateQueries({
        predicate: ({ queryKey }) =>
          ['conversions', 'statements', 'explanation', 'analytics'].includes(String(queryKey[0])),
      }),
  });
  const stop = () => {
    wanted.current = false;
  };
  return { decide: mutation.mutate, isPending: mutation.isPending, count, stop };
}
