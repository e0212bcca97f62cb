// Connections of websites to networks' report APIs.
import { answer, api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { cursorQuery, rowsOf } from '@/lib/api/cursor-query';
import type { components } from '@/lib/api/schema';
import { networkOf } from '@/lib/networks/postback';
import { connectionStateOf } from '../lib/connection-states';

type Schemas = components['schemas'];
export type NetworkConnection = Schemas['NetworkConnectionDetails'];
export type PullSchedule = Schemas['PullSchedule'];
export type Credentials = Schemas['ConnectNetwork']['credentials'];

const PAGE = 50;
const POLL_MS = 2000;
const CHANGES = [['network-connections']];

const one = (id: string) => ({ path: { id } });
const labelOf = ({ network }: Pick<NetworkConnection, 'network'>) => networkOf(network)?.label ?? network;

/** Read again every two seconds while a network is read; not while the page is hidden. */
export const connectionsQuery = (websiteId: string) =>
  cursorQuery({
    queryKey: ['network-connections', websiteId] as const,
    read: (at, signal) =>
      answer(
        api.GET('/api/platform/networks/connections', { params: { query: { websiteId, limit: PAGE, ...at } }, signal }),
      ),
    refetchInterval: ({ state }) =>
      state.data && rowsOf(state.data).some((row) => connectionStateOf(row, Date.now()) === 'reading')
        ? POLL_MS
        : false,
  });

export const connectNetwork = command({
  send: (input: Schemas['ConnectNetwork']) => body(api.POST('/api/platform/networks/connections', { body: input })),
  changes: CHANGES,
  success: (connection) => [`${labelOf(connection)} connected`, 'Its reports are being read.'],
});

export interface ConnectionChanges {
  readonly schedule: PullSchedule;
  /** Null: they stay. */
  readonly credentials: Credentials | null;
}

export const changeConnection = (id: string) =>
  command({
    send: (input: ConnectionChanges) =>
      body(api.PATCH('/api/platform/networks/connections/{id}', { params: one(id), body: input })),
    changes: CHANGES,
    success: 'Connection saved',
  });

export const pullNow = command({
  send: ({ id }: NetworkConnection) =>
    body(api.POST('/api/platform/networks/connections/{id}/pull', { params: one(id) })),
  changes: CHANGES,
  failure: 'Failed to read the reports',
});

export const disconnectNetwork = command({
  send: ({ id }: NetworkConnection) => done(api.DELETE('/api/platform/networks/connections/{id}', { params: one(id) })),
  changes: CHANGES,
  success: (_done, connection) => `${labelOf(connection)} disconnected`,
  failure: 'Failed to disconnect',
});
