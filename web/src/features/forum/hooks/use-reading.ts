import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { countView, markRead } from '../api/threads';
import type { Post, ThreadInFull } from '../lib/types';

/** What a member has on the screen counts as read. */
export function useReading(thread: ThreadInFull, posts: readonly Post[] | undefined, signedIn: boolean): void {
  const client = useQueryClient();
  const last = posts?.at(-1)?.position;
  useEffect(() => {
    if (!signedIn || last === undefined || !thread.unread) return;
    void markRead(thread.id, last).then(
      () => client.invalidateQueries({ queryKey: ['forum', 'threads'], refetchType: 'none' }),
      () => undefined, // It stays unread: a smaller fault than a message about it.
    );
  }, [client, thread.id, thread.unread, last, signedIn]);
}

/** Counts a view of the thread; failures are ignored. */
export function useView(threadId: string): void {
  useEffect(() => {
    void countView(threadId).catch(() => undefined);
  }, [threadId]);
}
