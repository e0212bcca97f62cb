import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer } from '@/lib/api/client';
import { messageOf } from '@/lib/api/errors';
import { toast, toastError } from '@/stores/toasts';
import { approvePost, restorePost } from '../api/moderation-commands';
import { deletePost, editPost, likePost } from '../api/posts';
import type { Post } from '../lib/types';

export interface PostCommands {
  readonly like: (post: Post) => void;
  readonly edit: (post: Post, text: string) => Promise<unknown>;
  readonly remove: (post: Post, reason: string) => Promise<unknown>;
  readonly approve: (post: Post) => void;
  readonly restore: (post: Post) => void;
}

/** Commands of posts. A like is optimistic; the others wait for the server. */
export function usePostCommands(): PostCommands {
  const client = useQueryClient();
  const changed = () => client.invalidateQueries({ queryKey: ['forum'] });

  function liked(post: Post, now: boolean): void {
    const swap = (item: Post) =>
      item.id === post.id ? { ...item, liked: now, likes: post.likes + (now ? 1 : 0) - (post.liked ? 1 : 0) } : item;
    client.setQueriesData<Answer<Post[]>>(
      { queryKey: ['forum', 'posts', post.threadId] },
      (page) => page && { ...page, data: page.data.map(swap) },
    );
  }

  const like = useMutation({
    scope: { id: 'forum-likes' }, // one after the other: the last word is the last one heard
    mutationFn: ({ post }: { post: Post }) => likePost(post.id, !post.liked),
    onMutate: async ({ post }) => {
      await client.cancelQueries({ queryKey: ['forum', 'posts', post.threadId] });
      liked(post, !post.liked);
    },
    onError: (error, { post }) => {
      liked({ ...post, liked: !post.liked, likes: post.likes + (post.liked ? -1 : 1) }, post.liked);
      toastError('Failed to save the like', messageOf(error));
    },
  });
  const approve = useMutation({
    mutationFn: approvePost,
    onSuccess: () => toast('Post approved'),
    onError: (error) => toastError('Failed to approve the post', messageOf(error)),
    onSettled: changed,
  });
  const restore = useMutation({
    mutationFn: restorePost,
    onSuccess: () => toast('Post restored'),
    onError: (error) => toastError('Failed to restore the post', messageOf(error)),
    onSettled: changed,
  });
  return {
    like: (post) => like.mutate({ post }),
    edit: async (post, text) => {
      const answer = await editPost(post.id, text);
      if (answer.state === 'held') toast('Post changed', 'It is published once a moderator approves it.');
      else toast('Post changed');
      await changed();
    },
    remove: async (post, reason) => {
      await deletePost(post.id, reason);
      toast(post.isFirst ? 'Thread deleted' : 'Post deleted');
      void changed();
    },
    approve: (post) => approve.mutate(post.id),
    restore: (post) => restore.mutate(post.id),
  };
}
