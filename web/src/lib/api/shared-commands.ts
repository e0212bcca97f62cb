// Commands that several features need.
import { command } from '@/lib/api/command';
import { api, body, done } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';
import { keysQuery } from './setup-queries';
import { partnersQuery } from './shared-queries';

type Schemas = components['schemas'];

/** The first password of an account that signs in with a provider comes by the link that replaces a forgotten one. */
export const requestPasswordLink = command({
  send: (email: string) => done(api.POST('/api/platform/password/forgot', { body: { email } })),
  success: (_, email) => ['Check your email', `We sent a link to set a password to ${email}.`],
  failure: 'Failed to send the link',
});

export const testLink = command({
  send: (id: string) => body(api.POST('/api/platform/links/{id}/test', { params: { path: { id } } })),
  failure: 'Failed to send the test conversion',
});

export const createPostbackKey = (id: string) =>
  command({
    send: () =>
      body(
        api.POST('/api/platform/websites/{id}/keys', {
          params: { path: { id } },
          body: { kind: 'postback', name: 'Postbacks' },
        }),
      ),
    changes: [keysQuery(id).queryKey],
    failure: 'Failed to create the token',
  });

export const revealPostbackKey = (id: string) =>
  command({
    send: (keyId: string) =>
      body(api.POST('/api/platform/websites/{id}/keys/{keyId}/reveal', { params: { path: { id, keyId } } })),
    failure: 'Failed to read the token',
  });

/** A private partner. */
export const addPartner = command({
  send: (partner: Schemas['AddPrivatePartner']) => body(api.POST('/api/platform/partners', { body: partner })),
  changes: [partnersQuery.queryKey],
  success: (_, { name }) => ['Partner added', name],
});
