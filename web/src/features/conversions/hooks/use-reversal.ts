import { useMutation, useQueryClient } from '@tanstack/react-query';
import { messageOf } from '@/lib/api/errors';
import type { Conversion } from '@/lib/api/types';
import { toast, toastError } from '@/stores/toasts';
import { reverse } from '../api/conversions';

interface Reversal {
  readonly conversion: Pick<Conversion, 'id' | 'txid'>;
  readonly reason: string;
  readonly amount: number | null;
}

/** Reverses a sale; lists and totals follow from the server, which waits for it. */
export function useReversal() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ conversion, reason, amount }: Reversal) => reverse(conversion.id, reason, amount),
    onSuccess: (_, { conversion }) => toast('Conversion reversed', `Transaction ${conversion.txid}`),
    onError: (error) => toastError('Failed to reverse', messageOf(error)),
    onSettled: () =>
      client.invalidateQueries({
        predicate: ({ queryKey }) =>
          ['conversions', 'statements', 'explanation', 'analytics', 'payouts'].includes(String(queryKey[0])),
      }),
  });
}
