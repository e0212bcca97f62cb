import { queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';

export type DigestEvery = components['schemas']['InsightsDigest']['every'];

/** How often new insights of all one's websites are mailed. */
export const digestQuery = queryOptions({
  queryKey: ['insights-digest'] as const,
  queryFn: ({ signal }) => body(api.GET('/api/platform/insights/digest', { signal })),
  staleTime: 300_000,
});

export const chooseDigest = command({
  send: (every: DigestEvery) => done(api.PUT('/api/platform/insights/digest', { body: { every } })),
  success: (_, every) => [
    'Email digest changed',
    every === 'off' ? 'You no longer receive insights by email.' : `You receive new insights by email ${every}.`,
  ],
  failure: 'Failed to change the email digest',
});
