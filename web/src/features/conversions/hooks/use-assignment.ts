import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, messageOf } from '@/lib/api/errors';
import { toast, toastError } from '@/stores/toasts';
import { assign, type Choice } from '../api/assignment';

interface Assigned {
  readonly choice: Choice;
  readonly reason: string;
}

/** Assigns a conversion. What is wrong with a field is left to the form. */
export function useAssignment(conversion: { readonly id: string; readonly txid: string }, onAssigned: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ choice, reason }: Assigned) => assign(conversion.id, choice, reason),
    onSuccess: async () => {
      toast('Conversion assigned', `Transaction ${conversion.txid}`);
      await client.invalidateQueries({
        predicate: ({ queryKey }) =>
          ['conversions', 'statements', 'explanation', 'analytics', 'payouts', 'links'].includes(String(queryKey[0])),
      });
      onAssigned();
    },
    onError: (error) => {
      if (!(error instanceof ApiError) || Object.keys(error.fields).length === 0)
        toastError('Failed to assign', messageOf(error));
    },
  });
}
