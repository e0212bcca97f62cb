import { queryOptions } from '@tanstack/react-query';
import { answer, api, body, done } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { command } from '@/lib/api/command';
import { messageOf } from '@/lib/api/errors';
import type { Criteria } from '../lib/types';
import { FRESH, KEY, MARKET, pathOf } from './request';

export const watchesQuery = cursorQuery({
  queryKey: [KEY, 'watches'] as const,
  read: (_, signal) => answer(api.GET('/api/marketplace/my/watches', { signal })),
  ...FRESH,
});

export const savedSearchesQuery = queryOptions({
  queryKey: [KEY, 'saved-searches'] as const,
  queryFn: ({ signal }) => body(api.GET('/api/marketplace/my/saved-searches', { signal })),
  ...FRESH,
});

const sendWatch = (id: string, isWatched: boolean) =>
  done(
    isWatched
      ? api.PUT('/api/marketplace/listings/{id}/watch', pathOf(id))
      : api.DELETE('/api/marketplace/listings/{id}/watch', pathOf(id)),
  );

/** Watches a listing, or no longer. */
export const watchListing = (id: string) =>
  command({
    send: (isWatched: boolean) => sendWatch(id, isWatched),
    changes: MARKET,
    success: (_, isWatched) => (isWatched ? 'Watching this listing' : 'No longer watched'),
    failure: (error, isWatched) => [isWatched ? 'Failed to watch' : 'Failed to stop watching', messageOf(error)],
  });

/** From the watch list, which shows what failed. */
export const endWatch = command({
  send: (id: string) => sendWatch(id, false),
  changes: MARKET,
  success: 'No longer watched',
});

export const saveSearch = command({
  send: (criteria: Criteria) => body(api.POST('/api/marketplace/saved-searches', { body: criteria })),
  changes: MARKET,
  success: ['Search saved', 'You’ll be emailed about new listings like this.'],
});

export const removeSearch = command({
  send: (id: string) => done(api.DELETE('/api/marketplace/saved-searches/{id}', pathOf(id))),
  changes: MARKET,
  success: 'Search removed',
});
