// What moderators do with a thread, in words.
import type { ThreadInFull } from './types';

export type Moderation = 'pin' | 'lock' | 'move';

interface Labels {
  readonly title: string;
  readonly description: string;
  readonly done: string;
}

export const LABELS: Record<Moderation, (thread: ThreadInFull) => Labels> = {
  pin: (thread) =>
    thread.isPinned
      ? { title: 'Unpin', description: 'It is sorted by its last reply.', done: 'Thread unpinned' }
      : { title: 'Pin', description: 'It is shown above other threads.', done: 'Thread pinned' },
  lock: (thread) =>
    thread.isLocked
      ? { title: 'Unlock', description: 'Everyone can reply again.', done: 'Thread unlocked' }
      : { title: 'Lock', description: 'Only moderators can reply.', done: 'Thread locked' },
  move: () => ({
    title: 'Move',
    description: 'The thread moves to another category with all its posts.',
    done: 'Thread moved',
  }),
};
