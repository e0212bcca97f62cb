import { queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';

/** The networks that this installation can connect to, and the connections of a website's channels. */
export const connectionsQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['social-connections', websiteId] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/social-channels/connections', { params: { query: { websiteId } }, signal })),
  });

const of = (id: string) => ({ params: { path: { id } } });

const changes = [['social-connections']];

/** The network's page on which the owner permits the reading. */
export const startConnection = (network: string) =>
  command({
    send: (id: string) => body(api.POST('/api/platform/social-channels/{id}/connection', of(id))),
    failure: `Failed to connect to ${network}`,
  });

/** Hands on what the network sent back. */
export const completeConnection = command({
  send: (back: { readonly state: string; readonly code: string }) =>
    body(api.POST('/api/platform/social-channels/connections', { body: back })),
  changes,
  success: ({ name }) => ['Channel connected', `Connected as ${name}.`],
});

export const disconnectChannel = command({
  send: (id: string) => done(api.DELETE('/api/platform/social-channels/{id}/connection', of(id))),
  changes,
  success: 'Channel disconnected',
  failure: 'Failed to disconnect the channel',
});

export const readChannelNow = command({
  send: (id: string) => done(api.POST('/api/platform/social-channels/{id}/connection/read', of(id))),
  changes,
  success: ['Reading started', 'New numbers appear in a moment.'],
  failure: 'Failed to read the channel',
});
