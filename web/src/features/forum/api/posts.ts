import { queryOptions } from '@tanstack/react-query';
import { loadMarkdown } from '@/components/text/member-text';
import { answer, api, body, done, type Answer } from '@/lib/api/client';
import { command, type Words } from '@/lib/api/command';
import { isFirstPage } from '@/lib/api/early-reads';
import type { Place } from '../lib/search';
import type { Reason } from '../lib/reasons';
import type { Post } from '../lib/types';
import { FORUM, path, POSTS } from './request';
import { FRESH_MS } from './threads';

/** A page of posts: the first, one at a cursor, or the one around a post. What draws them is fetched beside them; only the
 *  first page of a visit does not wait for it, but shows the text as it was written until then. */
export const postsQuery = (threadId: string, { post, cursor }: Place) =>
  queryOptions({
    queryKey: ['forum', 'posts', threadId, post, cursor],
    queryFn: async ({ signal }) => {
      const drawn = loadMarkdown().catch(() => undefined);
      const query = { limit: POSTS, ...(post ? { around: post } : cursor ? { cursor } : {}) };
      const page = await answer(
        api.GET('/api/forum/threads/{id}/posts', { params: { path: { id: threadId }, query }, signal }),
      );
      if (!isFirstPage()) await drawn;
      return page;
    },
    staleTime: FRESH_MS,
  });

export const editsQuery = (postId: string) =>
  queryOptions({
    queryKey: ['forum', 'edits', postId],
    queryFn: ({ signal }) =>
      body(api.GET('/api/forum/posts/{id}/history', { params: { path: { id: postId } }, signal })),
    staleTime: 0,
  });

interface Received {
  readonly state: Post['state'];
}

/** A post of a new member is held until a moderator approves it. */
const received =
  (held: string, published: string) =>
  ({ state }: Received): Words =>
    state === 'held' ? [held, 'It is published once a moderator approves it.'] : published;

export const replyTo = (threadId: string) =>
  command({
    send: (reply: { readonly text: string; readonly replyTo: string | null }) =>
      body(api.POST('/api/forum/threads/{id}/posts', { ...path(threadId), body: reply })),
    changes: FORUM,
    success: received('Reply received', 'Reply posted'),
  });

export const editPost = (id: string) =>
  command({
    send: (text: string) => body(api.PATCH('/api/forum/posts/{id}', { ...path(id), body: { text } })),
    changes: FORUM,
    success: received('Post changed', 'Post changed'),
  });

export const startThread = command({
  send: (thread: { readonly title: string; readonly categoryId: string; readonly text: string }) =>
    body(api.POST('/api/forum/threads', { body: thread })),
  changes: FORUM,
  success: received('Thread received', 'Thread started'),
});

/** Moderators give a reason; authors delete their own post without one. */
export const deletePost = (id: string, success: string) =>
  command({
    send: (reason: string) =>
      done(
        reason
          ? api.POST('/api/admin/forum/posts/{id}/delete', { ...path(id), body: { reason } })
          : api.DELETE('/api/forum/posts/{id}', path(id)),
      ),
    changes: FORUM,
    success,
  });

export const likePost = command({
  queue: 'forum-likes',
  send: ({ id, liked }: Post) =>
    done(liked ? api.DELETE('/api/forum/posts/{id}/like', path(id)) : api.PUT('/api/forum/posts/{id}/like', path(id))),
  expect: async (client, post) => {
    const queryKey = ['forum', 'posts', post.threadId];
    const show = (liked: boolean, likes: number) =>
      client.setQueriesData<Answer<Post[]>>(
        { queryKey },
        (page) =>
          page && { ...page, data: page.data.map((item) => (item.id === post.id ? { ...item, liked, likes } : item)) },
      );
    await client.cancelQueries({ queryKey });
    show(!post.liked, post.likes + (post.liked ? -1 : 1));
    return () => show(post.liked, post.likes);
  },
  failure: 'Failed to save the like',
});

export const flagPost = (id: string) =>
  command({
    send: (flag: { readonly reason: Reason; readonly note: string }) =>
      done(api.POST('/api/forum/posts/{id}/flag', { ...path(id), body: flag })),
    changes: FORUM,
    success: ['Report sent', 'A moderator will review this post.'],
  });
