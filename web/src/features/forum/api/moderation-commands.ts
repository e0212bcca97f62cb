import { api, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { LABELS, type Moderation } from '../lib/moderation';
import type { ThreadInFull } from '../lib/types';
import { FORUM, path } from './request';

interface Given {
  readonly categoryId: string;
  readonly reason: string;
}

/** Pins, locks or moves a thread; unpins or unlocks one that is pinned or locked. */
export const moderateThread = (kind: Moderation, thread: ThreadInFull) =>
  command({
    send: ({ categoryId, reason }: Given) => {
      const { id, isPinned, isLocked } = thread;
      const because = { ...path(id), body: { reason } };
      if (kind === 'move')
        return done(api.POST('/api/admin/forum/threads/{id}/move', { ...path(id), body: { categoryId, reason } }));
      if (kind === 'pin')
        return done(
          api.POST(isPinned ? '/api/admin/forum/threads/{id}/unpin' : '/api/admin/forum/threads/{id}/pin', because),
        );
      return done(
        api.POST(isLocked ? '/api/admin/forum/threads/{id}/unlock' : '/api/admin/forum/threads/{id}/lock', because),
      );
    },
    changes: FORUM,
    success: LABELS[kind](thread).done,
  });

const approve = (id: string) => done(api.POST('/api/admin/forum/posts/{id}/approve', path(id)));

export const approvePost = command({
  send: approve,
  changes: FORUM,
  success: 'Post approved',
  failure: 'Failed to approve the post',
});

/** Publishes a held post, or dismisses the reports about a post. */
export const decideOnPost = command({
  send: ({ id, approves }: { readonly id: string; readonly approves: boolean }) =>
    approves ? approve(id) : done(api.POST('/api/admin/forum/posts/{id}/dismiss-flags', path(id))),
  changes: FORUM,
  success: (_, { approves }) => (approves ? 'Post approved' : 'Reports dismissed'),
  failure: 'Failed to save the decision',
});

export const restorePost = command({
  send: (id: string) => done(api.POST('/api/admin/forum/posts/{id}/restore', path(id))),
  changes: FORUM,
  success: 'Post restored',
  failure: 'Failed to restore the post',
});

export const suspendMember = (id: string) =>
  command({
    send: (suspension: { readonly reason: string; readonly until: string | null }) =>
      done(api.POST('/api/admin/forum/members/{id}/suspend', { ...path(id), body: suspension })),
    changes: FORUM,
    success: 'Member suspended',
  });

export const reinstateMember = command({
  send: (id: string) => done(api.POST('/api/admin/forum/members/{id}/reinstate', path(id))),
  changes: FORUM,
  success: 'Suspension ended',
  failure: 'Failed to end the suspension',
});
