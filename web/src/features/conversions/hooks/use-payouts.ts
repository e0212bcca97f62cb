import { useMutation, useQueryClient } from '@tanstack/react-query';
import { messageOf } from '@/lib/api/errors';
import { toast, toastError } from '@/stores/toasts';
import { attachFile, correctPayout, recordPayout, voidPayout, type PayoutDraft } from '../api/payouts';

export interface Saved {
  readonly draft: PayoutDraft;
  readonly partnerId: string;
  readonly file: File | null;
  /** The payout that is corrected, and why; null: a new one. */
  readonly correction: { readonly id: string; readonly reason: string } | null;
}

/** Records or corrects a payout, then adds its file: the payout stands even if the file is refused. */
export function useSavePayout(websiteId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ draft, partnerId, file, correction }: Saved) => {
      const payout = correction
        ? await correctPayout(correction.id, draft, correction.reason)
        : await recordPayout(websiteId, partnerId, draft);
      try {
        if (file) await attachFile(payout.id, file);
      } catch (error) {
        return messageOf(error);
      }
      return null;
    },
    onSuccess: (refused, { correction }) => {
      const done = correction ? 'Payout corrected' : 'Payout recorded';
      if (refused) toastError(`${done}, but not its file`, refused);
      else toast(done);
    },
    onError: (error) => toastError('Failed to save the payout', messageOf(error)),
    onSettled: () => client.invalidateQueries({ queryKey: ['payouts'] }),
  });
}

export function useVoidPayout() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, reason }: { id: string; reason: string }) => voidPayout(id, reason),
    onSuccess: () => toast('Payout voided'),
    onError: (error) => toastError('Failed to void the payout', messageOf(error)),
    onSettled: () => client.invalidateQueries({ queryKey: ['payouts'] }),
  });
}
