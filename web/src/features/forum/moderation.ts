// What moderators do with a thread, in words.
import type { ThreadInFull } from './types';

export type Moderation = 'pin' | 'lock' | 'move';

interface Words {
  readonly title: string;
  readonly description: string;
  readonly done: string;
}

export const WORDS: Record<Moderation, (thread: ThreadInFull) => Words> = {
  pin: (thread) =>
    thread.isPinned
      ? { title: 'Unpin', description: 'It stands where its last reply puts it.', done: 'Thread unpinned' }
      : { title: 'Pin', description: 'It stands before the other threads.', done: 'Thread pinned' },
  lock: (thread) =>
    thread.isLocked
      ? { title: 'Unlock', description: 'Everybody can reply again.', done: 'Thread unlocked' }
      : { title: 'Lock', description: 'Nobody but moderators can reply.', done: 'Thread locked' },
  move: () => ({ title: 'Move', description: 'It goes to another category with all its posts.', done: 'Thread moved' }),
};
