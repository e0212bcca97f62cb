import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, body, done } from '@/lib/api/client';
import { loadMarkdown } from '@/components/text/written';
import type { Reason } from './reasons';
import type { Filter, Place, Sort } from './search';

const PAGE = 30;
/** How long a list that was left is kept: who reads a thread for a while comes back to its place. */
const LEFT_MS = 1_800_000;
/** Replies on a page of a thread. */
const POSTS = 20;
const at = (cursor: string) => (cursor ? { cursor } : {});

export const categoriesQuery = queryOptions({
  queryKey: ['forum', 'categories'],
  queryFn: ({ signal }) => body(api.GET('/api/forum/categories', { signal })),
  staleTime: 60_000,
});

export interface ThreadsAsked {
  readonly categoryId: string | null;
  readonly sort: Sort;
  readonly filter: Filter;
}

/** Shown from memory at once, so that the back button finds its place, and read anew behind it. */
export const threadsQuery = ({ categoryId, sort, filter }: ThreadsAsked) =>
  infiniteQueryOptions({
    queryKey: ['forum', 'threads', categoryId, sort, filter],
    gcTime: LEFT_MS,
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      answer(api.GET('/api/forum/threads', { params: { query: { limit: PAGE, sort, filter, ...at(pageParam), ...(categoryId ? { categoryId } : {}) } }, signal })),
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });

export const searchQuery = (q: string, categoryId: string | null) =>
  infiniteQueryOptions({
    queryKey: ['forum', 'search', q, categoryId],
    gcTime: LEFT_MS,
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      answer(api.GET('/api/forum/search', { params: { query: { q, limit: PAGE, ...at(pageParam), ...(categoryId ? { categoryId } : {}) } }, signal })),
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });

export const threadQuery = (id: string) =>
  queryOptions({
    queryKey: ['forum', 'thread', id],
    queryFn: ({ signal }) => body(api.GET('/api/forum/threads/{id}', { params: { path: { id } }, signal })),
    staleTime: 0,
  });

/** A page of posts: the first, one at a cursor, or the one around a post. What draws them is fetched beside them. */
export const postsQuery = (threadId: string, { post, cursor }: Place) =>
  queryOptions({
    queryKey: ['forum', 'posts', threadId, post, cursor],
    queryFn: async ({ signal }) => {
      const drawn = loadMarkdown().catch(() => undefined);
      const query = { limit: POSTS, ...(post ? { around: post } : cursor ? { cursor } : {}) };
      const page = await answer(api.GET('/api/forum/threads/{id}/posts', { params: { path: { id: threadId }, query }, signal }));
      await drawn;
      return page;
    },
    staleTime: 0,
  });

export const editsQuery = (postId: string) =>
  queryOptions({
    queryKey: ['forum', 'edits', postId],
    queryFn: ({ signal }) => body(api.GET('/api/forum/posts/{id}/history', { params: { path: { id: postId } }, signal })),
    staleTime: 0,
  });

export const memberQuery = (handle: string) =>
  queryOptions({
    queryKey: ['forum', 'member', handle],
    queryFn: ({ signal }) => body(api.GET('/api/forum/members/{handle}', { params: { path: { handle } }, signal })),
    staleTime: 0,
  });

export const memberPostsQuery = (handle: string) =>
  infiniteQueryOptions({
    queryKey: ['forum', 'member-posts', handle],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) => answer(api.GET('/api/forum/members/{handle}/posts', { params: { path: { handle }, query: { limit: POSTS, ...at(pageParam) } }, signal })),
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });

/** What the reader may do. */
export const meQuery = queryOptions({
  queryKey: ['forum', 'me'],
  queryFn: ({ signal }) => body(api.GET('/api/platform/forum/me', { signal })),
  staleTime: 60_000,
});

/** Members whose handle begins so. */
export const handlesQuery = (typed: string) =>
  queryOptions({
    queryKey: ['forum', 'handles', typed],
    queryFn: ({ signal }) => body(api.GET('/api/forum/members', { params: { query: { prefix: typed } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

export const startThread = (thread: { readonly title: string; readonly categoryId: string; readonly text: string }) => body(api.POST('/api/forum/threads', { body: thread }));

export const reply = ({ threadId, text, replyTo }: { readonly threadId: string; readonly text: string; readonly replyTo: string | null }) =>
  body(api.POST('/api/forum/threads/{id}/posts', { params: { path: { id: threadId } }, body: { text, replyTo } }));

const path = (id: string) => ({ params: { path: { id } } });

export const editPost = (id: string, text: string) => body(api.PATCH('/api/forum/posts/{id}', { ...path(id), body: { text } }));

/** With a reason as a moderator; without one, one's own. */
export const deletePost = (id: string, reason: string) =>
  done(reason ? api.POST('/api/admin/forum/posts/{id}/delete', { ...path(id), body: { reason } }) : api.DELETE('/api/forum/posts/{id}', path(id)));

export const likePost = (id: string, likes: boolean) => done(likes ? api.PUT('/api/forum/posts/{id}/like', path(id)) : api.DELETE('/api/forum/posts/{id}/like', path(id)));

export const followThread = (id: string, follows: boolean) =>
  done(follows ? api.PUT('/api/forum/threads/{id}/follow', path(id)) : api.DELETE('/api/forum/threads/{id}/follow', path(id)));

export const flagPost = ({ postId, reason, note }: { readonly postId: string; readonly reason: Reason; readonly note: string }) =>
  done(api.POST('/api/forum/posts/{id}/flag', { ...path(postId), body: { reason, note } }));

export const markRead = (id: string, position: number) => done(api.POST('/api/forum/threads/{id}/read', { ...path(id), body: { position } }));

export const markAllRead = () => done(api.POST('/api/forum/read', {}));

/** Tells that somebody opened the thread; the server counts each visitor once a day. */
export const countView = (id: string) => done(api.POST('/api/public/forum/threads/{id}/view', { ...path(id), body: {} }));

export const pinThread = (id: string, pinned: boolean, reason: string) =>
  done(api.POST(pinned ? '/api/admin/forum/threads/{id}/pin' : '/api/admin/forum/threads/{id}/unpin', { ...path(id), body: { reason } }));

export const lockThread = (id: string, locked: boolean, reason: string) =>
  done(api.POST(locked ? '/api/admin/forum/threads/{id}/lock' : '/api/admin/forum/threads/{id}/unlock', { ...path(id), body: { reason } }));

export const moveThread = (id: string, categoryId: string, reason: string) =>
  done(api.POST('/api/admin/forum/threads/{id}/move', { ...path(id), body: { categoryId, reason } }));

export const approvePost = (id: string) => done(api.POST('/api/admin/forum/posts/{id}/approve', path(id)));
export const dismissFlags = (id: string) => done(api.POST('/api/admin/forum/posts/{id}/dismiss-flags', path(id)));
export const restorePost = (id: string) => done(api.POST('/api/admin/forum/posts/{id}/restore', path(id)));

export const suspendMember = ({ id, reason, until }: { readonly id: string; readonly reason: string; readonly until: string | null }) =>
  done(api.POST('/api/admin/forum/members/{id}/suspend', { ...path(id), body: { reason, until } }));

export const reinstateMember = (id: string) => done(api.POST('/api/admin/forum/members/{id}/reinstate', path(id)));
