import { api, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { FORUM, path } from './request';

export const pinThread = (id: string, pinned: boolean, reason: string) =>
  done(
    api.POST(pinned ? '/api/admin/forum/threads/{id}/pin' : '/api/admin/forum/threads/{id}/unpin', {
      ...path(id),
      body: { reason },
    }),
  );

export const lockThread = (id: string, locked: boolean, reason: string) =>
  done(
    api.POST(locked ? '/api/admin/forum/threads/{id}/lock' : '/api/admin/forum/threads/{id}/unlock', {
      ...path(id),
      body: { reason },
    }),
  );

export const moveThread = (id: string, categoryId: string, reason: string) =>
  done(api.POST('/api/admin/forum/threads/{id}/move', { ...path(id), body: { categoryId, reason } }));

export const approvePost = (id: string) => done(api.POST('/api/admin/forum/posts/{id}/approve', path(id)));

export const dismissFlags = (id: string) => done(api.POST('/api/admin/forum/posts/{id}/dismiss-flags', path(id)));

export const restorePost = (id: string) => done(api.POST('/api/admin/forum/posts/{id}/restore', path(id)));

export const suspendMember = (id: string) =>
  command({
    send: (suspension: { readonly reason: string; readonly until: string | null }) =>
      done(api.POST('/api/admin/forum/members/{id}/suspend', { ...path(id), body: suspension })),
    changes: FORUM,
    success: 'Member suspended',
  });

export const reinstateMember = (id: string) => done(api.POST('/api/admin/forum/members/{id}/reinstate', path(id)));
