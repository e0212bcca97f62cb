import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { POSTS } from './request';

export const memberQuery = (handle: string) =>
  queryOptions({
    queryKey: ['forum', 'member', handle],
    queryFn: ({ signal }) => body(api.GET('/api/forum/members/{handle}', { params: { path: { handle } }, signal })),
    staleTime: 0,
  });

export const memberPostsQuery = (handle: string) =>
  cursorQuery({
    queryKey: ['forum', 'member-posts', handle],
    read: (at, signal) =>
      answer(
        api.GET('/api/forum/members/{handle}/posts', {
          params: { path: { handle }, query: { limit: POSTS, ...at } },
          signal,
        }),
      ),
    staleTime: 0,
  });

/** The user's permissions. */
export const meQuery = queryOptions({
  queryKey: ['forum', 'me'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/forum/me', { signal })),
  staleTime: 60_000,
});

/** Members whose handle starts with the prefix. */
export const handlesQuery = (typed: string) =>
  queryOptions({
    queryKey: ['forum', 'handles', typed],
    queryFn: ({ signal }) => body(api.GET('/api/forum/members', { params: { query: { prefix: typed } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
