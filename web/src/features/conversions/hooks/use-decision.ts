import { useMutation, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import type { Answer } from '@/lib/api/client';
import { messageOf } from '@/lib/api/errors';
import type { Conversion } from '@/lib/api/types';
import { toast, toastError } from '@/stores/toasts';
import { decide, predict, type Decision } from '../api/conversions';

type Cached = InfiniteData<Answer<Conversion[]>> | Conversion[];

const DONE: Record<Decision['kind'], string> = {
  approve: 'Conversion approved',
  reject: 'Conversion rejected',
  reverse: 'Conversion reversed',
};
const FAILED: Record<Decision['kind'], string> = {
  approve: 'Failed to approve',
  reject: 'Failed to reject',
  reverse: 'Failed to reverse',
};

/** The row changes optimistically; the totals follow from the server, which waits for this decision. */
export function useDecision(websiteId: string) {
  const client = useQueryClient();
  const lists = { queryKey: ['conversions', websiteId] };

  function replace(row: Conversion): void {
    const swap = (item: Conversion) => (item.id === row.id ? row : item);
    client.setQueriesData<Cached>(lists, (cached) => {
      if (!cached) return cached;
      if (Array.isArray(cached)) return cached.map(swap);
      return { ...cached, pages: cached.pages.map((page) => ({ ...page, data: page.data.map(swap) })) };
    });
  }

  return useMutation({
    mutationFn: ({ conversion, decision }: { conversion: Conversion; decision: Decision }) =>
      decide(conversion.id, decision),
    onMutate: async ({ conversion, decision }) => {
      await client.cancelQueries(lists);
      replace(predict(conversion, decision));
    },
    onError: (error, { conversion, decision }) => {
      replace(conversion);
      toastError(FAILED[decision.kind], messageOf(error));
    },
    onSuccess: (row, { decision }) => {
      replace(row);
      toast(DONE[decision.kind], `Transaction ${row.txid}`);
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries(lists),
        client.invalidateQueries({
          predicate: ({ queryKey }) =>
            queryKey[0] === 'analytics' && (queryKey[2] as { websiteId?: string }).websiteId === websiteId,
        }),
      ]),
  });
}
