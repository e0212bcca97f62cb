import { queryOptions } from '@tanstack/react-query';
import { loadMarkdown } from '@/components/text/member-text';
import { answer, api, body, done } from '@/lib/api/client';
import { isFirstPage } from '@/lib/api/early-reads';
import type { Place } from '../lib/search';
import type { Reason } from '../lib/reasons';
import { path, POSTS } from './request';
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

export const reply = ({
  threadId,
  text,
  replyTo,
}: {
  readonly threadId: string;
  readonly text: string;
  readonly replyTo: string | null;
}) => body(api.POST('/api/forum/threads/{id}/posts', { params: { path: { id: threadId } }, body: { text, replyTo } }));

export const editPost = (id: string, text: string) =>
  body(api.PATCH('/api/forum/posts/{id}', { ...path(id), body: { text } }));

/** Moderators give a reason; authors delete their own post without one. */
export const deletePost = (id: string, reason: string) =>
  done(
    reason
      ? api.POST('/api/admin/forum/posts/{id}/delete', { ...path(id), body: { reason } })
      : api.DELETE('/api/forum/posts/{id}', path(id)),
  );

export const likePost = (id: string, likes: boolean) =>
  done(likes ? api.PUT('/api/forum/posts/{id}/like', path(id)) : api.DELETE('/api/forum/posts/{id}/like', path(id)));

export const flagPost = ({
  postId,
  reason,
  note,
}: {
  readonly postId: string;
  readonly reason: Reason;
  readonly note: string;
}) => done(api.POST('/api/forum/posts/{id}/flag', { ...path(postId), body: { reason, note } }));
