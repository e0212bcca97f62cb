// Ad platforms that get a website's approved conversions, and the log of what was sent.
import { answer, api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { cursorQuery, rowsOf } from '@/lib/api/cursor-query';
import type { components } from '@/lib/api/schema';
import { labelOf } from '../lib/platforms';
import { isOnItsWay } from '../lib/states';

type Schemas = components['schemas'];
export type Destination = Schemas['DestinationDetails'];
export type DestinationMapping = Schemas['MappingInput'];
export type ReportedValue = Schemas['ReportedValue'];
export type ConversionDelivery = Schemas['ConversionDelivery'];
export type DeliveryKind = Schemas['DeliveryKind'];
export type DeliveryState = Schemas['DeliveryState'];
export type FileKind = 'conversions' | 'corrections';

const PAGE = 50;
const POLL_MS = 2000;
const CHANGES = [['destinations']];

const one = (id: string) => ({ path: { id } });

export const destinationsQuery = (websiteId: string) =>
  cursorQuery({
    queryKey: ['destinations', 'list', websiteId] as const,
    read: (at, signal) =>
      answer(api.GET('/api/platform/destinations', { params: { query: { websiteId, limit: PAGE, ...at } }, signal })),
  });

/** The newest decision first; null: in any state. Read again every two seconds while one is on its way. */
export const deliveriesQuery = ({ id, isRefused }: Destination, state: DeliveryState | null) =>
  cursorQuery({
    queryKey: ['destinations', 'deliveries', id, state] as const,
    read: (at, signal) =>
      answer(
        api.GET('/api/platform/destinations/{id}/deliveries', {
          params: { ...one(id), query: { ...(state ? { state } : {}), limit: PAGE, ...at } },
          signal,
        }),
      ),
    refetchInterval: (query) =>
      query.state.data && rowsOf(query.state.data).some((row) => isOnItsWay(row, isRefused)) ? POLL_MS : false,
  });

/** The address of the file of these days of the website. */
export const uploadFile = (id: string, from: string, to: string, kind: FileKind): string =>
  `/api/platform/destinations/${id}/file?${new URLSearchParams({ from, to, kind }).toString()}`;

export const addDestination = command({
  send: (input: Schemas['ConnectDestination']) => body(api.POST('/api/platform/destinations', { body: input })),
  changes: CHANGES,
  success: (destination) => [
    `${labelOf(destination)} added`,
    destination.isAutomatic
      ? 'Conversions that you approve from now on are sent automatically.'
      : 'Conversions that you approve from now on are in its files.',
  ],
});

export interface DestinationChanges {
  readonly mapping: DestinationMapping;
  /** Null: they stay. */
  readonly credentials: Readonly<Record<string, string>> | null;
}

export const changeDestination = (id: string) =>
  command({
    send: (input: DestinationChanges) =>
      body(api.PATCH('/api/platform/destinations/{id}', { params: one(id), body: input })),
    changes: CHANGES,
    success: (destination) => `${labelOf(destination)} saved`,
  });

export const removeDestination = command({
  send: ({ id }: Destination) => done(api.DELETE('/api/platform/destinations/{id}', { params: one(id) })),
  changes: CHANGES,
  success: (_done, destination) => `${labelOf(destination)} removed`,
  failure: 'Failed to remove the ad platform',
});
