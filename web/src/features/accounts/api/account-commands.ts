import type { Proof } from '@/components/security/proof-dialog';
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { SignInProvider } from '@/lib/api/types';
import { invitesQuery } from './invite-codes';
import { linkedQuery } from './linked-sign-ins';
import { sessionsQuery } from './sessions';

export const endSession = command({
  send: (id: string) => done(api.DELETE('/api/platform/sessions/{id}', { params: { path: { id } } })),
  changes: [sessionsQuery.queryKey],
  success: 'Signed out',
  failure: 'Failed to sign out the session',
});

export const endOtherSessions = command({
  send: () => done(api.DELETE('/api/platform/sessions')),
  changes: [sessionsQuery.queryKey],
  success: ['Other sessions signed out', 'You stay signed in here.'],
  failure: 'Failed to sign out the other sessions',
});

export const createInvite = command({
  send: (limits: { readonly maxUses: number; readonly expiresInDays: number }) =>
    body(api.POST('/api/platform/invite-codes', { body: limits })),
  changes: [invitesQuery.queryKey],
  success: 'Invite code created',
  failure: 'Failed to create invite code',
});

export const revokeInvite = command({
  send: (id: string) => done(api.DELETE('/api/platform/invite-codes/{id}', { params: { path: { id } } })),
  changes: [invitesQuery.queryKey],
  success: ['Invite code revoked', 'It can no longer be used to register.'],
  failure: 'Failed to revoke invite code',
});

/** The provider's address, to go on to. */
export const linkSignIn = async (link: Proof & { readonly provider: SignInProvider['name'] }): Promise<string> =>
  (await body(api.POST('/api/platform/linked-sign-ins', { body: link }))).url;

export const unlinkSignIn = command({
  send: (id: string) => done(api.DELETE('/api/platform/linked-sign-ins/{id}', { params: { path: { id } } })),
  changes: [linkedQuery.queryKey],
  success: ['Sign-in unlinked', 'You can no longer sign in with it.'],
  failure: 'Failed to unlink the sign-in',
});
