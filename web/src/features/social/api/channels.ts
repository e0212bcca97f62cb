import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';

/** Links that a page lists. */
const MAX_LISTED = 24;

/** The social channels of a website, with figures of the last 30 days. */
export const channelsQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['social-channels', websiteId] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/social-channels', { params: { query: { websiteId, timeRange: '30d' } }, signal })),
  });

/** The links that a link-in-bio page of the channel begins with, newest first. */
export const channelLinksQuery = (websiteId: string, channelId: string) =>
  queryOptions({
    queryKey: ['links', 'of-channel', websiteId, channelId] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/links', { params: { query: { websiteId, channelId, limit: MAX_LISTED } }, signal })),
  });

/** After a change: the channels, their report and every list of links are read again. */
export function useChannelsChanged(): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['social-channels'] }),
      client.invalidateQueries({ queryKey: ['social-report'] }),
      client.invalidateQueries({ queryKey: ['links'] }),
    ]);
}
