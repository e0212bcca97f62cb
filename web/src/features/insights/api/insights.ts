import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import { messageOf } from '@/lib/api/errors';
import { outcomeOf } from '../lib/outcome';
import type { components } from '@/lib/api/schema';
import { toast, toastError } from '@/stores/toasts';

export type Insight = components['schemas']['ShownInsight'];
export type Generated = components['schemas']['Generated'];
export type DigestEvery = components['schemas']['InsightsDigest']['every'];

export const insightsQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['insights', websiteId] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/analytics/{websiteId}/insights', { params: { path: { websiteId } }, signal })),
    staleTime: 300_000,
  });

/** Analyzes the website now. The response is shown immediately and refetched: both are the same. */
export function useGenerate(websiteId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => body(api.POST('/api/analytics/{websiteId}/ai-insights', { params: { path: { websiteId } } })),
    onSuccess: (generated) => {
      client.setQueryData(insightsQuery(websiteId).queryKey, generated.insights);
      toast(...outcomeOf(generated));
      return client.invalidateQueries({ queryKey: ['insights', websiteId] });
    },
    onError: () => toastError('Error', 'Failed to generate AI insights. Please try again.'),
  });
}

/** Hides an insight at once; it is back if the server rejects it. */
export function useDismiss(websiteId: string) {
  const client = useQueryClient();
  const { queryKey } = insightsQuery(websiteId);
  return useMutation({
    mutationFn: ({ id, reason }: { readonly id: string; readonly reason: string }) =>
      done(
        api.POST('/api/analytics/{websiteId}/insights/{insightId}/dismiss', {
          params: { path: { websiteId, insightId: id } },
          body: { reason },
        }),
      ),
    onMutate: ({ id }) => {
      client.setQueryData(queryKey, (shown) => shown?.filter((insight) => insight.id !== id));
    },
    onSuccess: () => toast('Insight dismissed'),
    onError: (error) => toastError('Failed to dismiss the insight', messageOf(error)),
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}

const digestQuery = queryOptions({
  queryKey: ['insights-digest'] as const,
  queryFn: ({ signal }) => body(api.GET('/api/platform/insights/digest', { signal })),
  staleTime: 300_000,
});

/** How often new insights of all one's websites are mailed; undefined while that is not known. */
export function useDigest() {
  const client = useQueryClient();
  const digest = useQuery(digestQuery);
  const choose = useMutation({
    mutationFn: async (every: DigestEvery) => {
      await api.PUT('/api/platform/insights/digest', { body: { every } });
      return every;
    },
    onMutate: (every) => {
      const before = client.getQueryData(digestQuery.queryKey);
      client.setQueryData(digestQuery.queryKey, { every });
      return before;
    },
    onError: (error, _, before) => {
      client.setQueryData(digestQuery.queryKey, before);
      toastError('Failed to change the email digest', messageOf(error));
    },
    onSuccess: (every) =>
      toast(
        'Email digest changed',
        every === 'off' ? 'You no longer receive insights by email.' : `You receive new insights by email ${every}.`,
      ),
  });
  return { every: digest.data?.every, choose: choose.mutate, isPending: choose.isPending };
}
