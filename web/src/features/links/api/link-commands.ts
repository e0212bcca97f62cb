import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';
import type { BulkLine } from '../lib/bulk';

type Schemas = components['schemas'];

const changes = [['links']];

export const createLink = command({
  send: (link: Schemas['CreateLink']) => body(api.POST('/api/platform/links', { body: link })),
  changes,
});

export const createLinks = (websiteId: string) =>
  command({
    send: (lines: readonly BulkLine[]) =>
      body(
        api.POST('/api/platform/links/bulk', {
          body: { links: lines.map((line) => ({ websiteId, partnerId: '', ...line.body })) },
        }),
      ),
    changes,
  });

export const editLink = command({
  send: ({ id, ...edits }: Schemas['UpdateLink'] & { readonly id: string }) =>
    body(api.PATCH('/api/platform/links/{id}', { params: { path: { id } }, body: edits })),
  changes,
  success: 'Link updated',
});

/** `name`: as the person knows the link, such as /deal. */
export const pauseLink = (name: string) =>
  command({
    send: (id: string) =>
      body(api.PATCH('/api/platform/links/{id}', { params: { path: { id } }, body: { isActive: false } })),
    changes,
    success: ['Link paused', `${name} no longer redirects. Turn it on again on the Links page.`],
    failure: 'Failed to pause the link',
  });

export const removeLink = command({
  send: (id: string) => done(api.DELETE('/api/platform/links/{id}', { params: { path: { id } } })),
  changes,
  success: 'Link removed',
  failure: 'Failed to remove the link',
});
