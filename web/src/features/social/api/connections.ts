import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';

/** The networks that this installation can connect to, and the connections of a website's channels. */
export const connectionsQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['social-connections', websiteId] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/social-channels/connections', { params: { query: { websiteId } }, signal })),
  });

const of = (id: string) => ({ params: { path: { id } } });

/** The network's page on which the owner permits the reading. */
export const startConnection = (id: string) => body(api.POST('/api/platform/social-channels/{id}/connection', of(id)));

/** Hands on what the network sent back. */
export const completeConnection = (back: { readonly state: string; readonly code: string }) =>
  body(api.POST('/api/platform/social-channels/connections', { body: back }));

export const disconnectChannel = (id: string) =>
  done(api.DELETE('/api/platform/social-channels/{id}/connection', of(id)));

export const readChannelNow = (id: string) =>
  done(api.POST('/api/platform/social-channels/{id}/connection/read', of(id)));

/** After a change: the connections are read again. */
export function useConnectionsChanged(): () => Promise<unknown> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ['social-connections'] });
}
