// Commands about a website: its settings and its keys.
import { api, body, done } from '@/lib/api/client';
import { command, type Words } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';
import { keysQuery } from '@/lib/api/setup-queries';
import { websitesQuery } from '@/lib/api/shared-queries';

type Schemas = components['schemas'];

const changes = [websitesQuery.queryKey];

const update = (id: string, settings: Schemas['UpdateWebsite']) =>
  body(api.PATCH('/api/platform/websites/{id}', { params: { path: { id } }, body: settings }));

/** Without `failure`, the screen shows what failed. */
export const changeSettings = (id: string, success: Words, failure?: string) =>
  command({
    send: (settings: Schemas['UpdateWebsite']) => update(id, settings),
    changes,
    success,
    ...(failure ? { failure } : {}),
  });

export const changeTimezone = (id: string) =>
  command({
    send: (timezone: string) => update(id, { timezone }),
    changes,
    success: ({ domain, timezone }) => ['Time zone changed', `Reports of ${domain} now use ${timezone}.`],
    failure: 'Failed to change the time zone',
  });

export const removeWebsite = command({
  send: (id: string) => done(api.DELETE('/api/platform/websites/{id}', { params: { path: { id } } })),
  changes,
  success: 'Website removed',
  failure: 'Failed to remove the website',
});

export const createKey = (id: string) =>
  command({
    send: (key: Schemas['CreateKey']) =>
      body(api.POST('/api/platform/websites/{id}/keys', { params: { path: { id } }, body: key })),
    changes: [keysQuery(id).queryKey],
  });

export const revokeKey = (id: string) =>
  command({
    send: (keyId: string) =>
      done(api.DELETE('/api/platform/websites/{id}/keys/{keyId}', { params: { path: { id, keyId } } })),
    changes: [keysQuery(id).queryKey],
    success: ['Key revoked', 'Requests with this key are now rejected.'],
    failure: 'Failed to revoke the key',
  });

/** Everything of a website as a zip, which is written while it is downloaded. */
export const exportFile = (id: string): string => `/api/platform/websites/${id}/export.zip`;
