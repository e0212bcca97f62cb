import { queryOptions } from '@tanstack/react-query';
import { answer, api, body, done } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { command } from '@/lib/api/command';
import type { Filter, Sort } from '../lib/search';
import type { ThreadInFull } from '../lib/types';
import { FORUM, path } from './request';

const PAGE = 30;

/** Cache time of a list, so that "back" returns to the same place. */
const CACHE_MS = 1_800_000;

/** What the loader of a page reads, the page does not read again. */
export const FRESH_MS = 2_000;

export const categoriesQuery = queryOptions({
  queryKey: ['forum', 'categories'],
  queryFn: ({ signal }) => body(api.GET('/api/forum/categories', { signal })),
  staleTime: 60_000,
});

export interface ThreadFilter {
  readonly categoryId: string | null;
  readonly sort: Sort;
  readonly filter: Filter;
}

/** Shown from the cache first, so that the back button keeps its place, and refetched. */
export const threadsQuery = ({ categoryId, sort, filter }: ThreadFilter) =>
  cursorQuery({
    queryKey: ['forum', 'threads', categoryId, sort, filter],
    gcTime: CACHE_MS,
    read: (at, signal) =>
      answer(
        api.GET('/api/forum/threads', {
          params: { query: { limit: PAGE, sort, filter, ...at, ...(categoryId ? { categoryId } : {}) } },
          signal,
        }),
      ),
    staleTime: 0,
  });

export const searchQuery = (q: string, categoryId: string | null) =>
  cursorQuery({
    queryKey: ['forum', 'search', q, categoryId],
    gcTime: CACHE_MS,
    read: (at, signal) =>
      answer(
        api.GET('/api/forum/search', {
          params: { query: { q, limit: PAGE, ...at, ...(categoryId ? { categoryId } : {}) } },
          signal,
        }),
      ),
    staleTime: 0,
  });

export const threadQuery = (id: string) =>
  queryOptions({
    queryKey: ['forum', 'thread', id],
    queryFn: ({ signal }) => body(api.GET('/api/forum/threads/{id}', { params: { path: { id } }, signal })),
    staleTime: FRESH_MS,
  });

export const followThread = ({ id, followed }: ThreadInFull) =>
  command({
    send: () =>
      done(
        followed
          ? api.DELETE('/api/forum/threads/{id}/follow', path(id))
          : api.PUT('/api/forum/threads/{id}/follow', path(id)),
      ),
    changes: FORUM,
    success: followed ? 'No longer followed' : ['Followed', 'You’ll be notified of new replies.'],
    failure: followed ? 'Failed to unfollow' : 'Failed to follow',
  });

export const markRead = (id: string, position: number) =>
  done(api.POST('/api/forum/threads/{id}/read', { ...path(id), body: { position } }));

export const markAllRead = command({
  send: () => done(api.POST('/api/forum/read', {})),
  changes: FORUM,
  success: 'All threads are marked as read',
  failure: 'Failed to mark threads as read',
});

/** Counts a view of the thread; the server counts each visitor once a day. */
export const countView = (id: string) =>
  done(api.POST('/api/public/forum/threads/{id}/view', { ...path(id), body: {} }));
