import { queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { outcomeOf } from '../lib/outcome';
import type { components } from '@/lib/api/schema';

export type Insight = components['schemas']['ShownInsight'];
export type Generated = components['schemas']['Generated'];

export const insightsQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['insights', websiteId] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/analytics/{websiteId}/insights', { params: { path: { websiteId } }, signal })),
    staleTime: 300_000,
  });

/** Analyzes the website now. */
export const generateInsights = (websiteId: string) =>
  command({
    send: () => body(api.POST('/api/analytics/{websiteId}/ai-insights', { params: { path: { websiteId } } })),
    changes: [['insights', websiteId]],
    success: outcomeOf,
    failure: () => ['Error', 'Failed to generate AI insights. Please try again.'],
  });

export const dismissInsight = (websiteId: string) =>
  command({
    send: ({ id, reason }: { readonly id: string; readonly reason: string }) =>
      done(
        api.POST('/api/analytics/{websiteId}/insights/{insightId}/dismiss', {
          params: { path: { websiteId, insightId: id } },
          body: { reason },
        }),
      ),
    changes: [insightsQuery(websiteId).queryKey],
    success: 'Insight dismissed',
    failure: 'Failed to dismiss the insight',
  });
