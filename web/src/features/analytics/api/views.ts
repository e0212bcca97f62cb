import { queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';

export type SavedView = components['schemas']['ListedView'];
export type ViewContent = components['schemas']['SavedViewContent'];
export type ViewKind = SavedView['kind'];

/** What is saved under a name. */
export interface NamedContent {
  readonly name: string;
  /** Shared with everyone who may see this website; null: personal. */
  readonly websiteId: string | null;
  readonly state: ViewContent;
}

const FRESH_MS = 60_000;

/** The views and segments for a website: personal ones, then shared ones. */
export const viewsQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['views', websiteId] as const,
    queryFn: ({ signal }) => body(api.GET('/api/platform/views', { params: { query: { websiteId } }, signal })),
    staleTime: FRESH_MS,
  });

const one = (id: string) => ({ path: { id } });

const changes = [['views']];

const changeView = (id: string, content: NamedContent) =>
  done(api.PATCH('/api/platform/views/{id}', { params: one(id), body: content }));

/** Without an id, a new one; the result is its id, else null. */
export const saveView = command({
  send: async ({ id, kind, ...content }: NamedContent & { readonly id: string | null; readonly kind: ViewKind }) => {
    if (id) return changeView(id, content).then(() => null);
    return (await body(api.POST('/api/platform/views', { body: { kind, ...content } }))).id;
  },
  changes,
  success: (_, { kind, name }) => [kind === 'segment' ? 'Segment saved' : 'View saved', name],
});

export const replaceView = command({
  send: ({ id, ...content }: NamedContent & { readonly id: string }) => changeView(id, content),
  changes,
  success: (_, { name }) => ['Changes saved', name],
  failure: 'Could not save the view',
});

export const removeView = command({
  send: ({ id }: SavedView) => done(api.DELETE('/api/platform/views/{id}', { params: one(id) })),
  changes,
  failure: 'Could not delete the view',
});

export const restoreView = command({
  send: ({ id }: SavedView) => done(api.POST('/api/platform/views/{id}/restore', { params: one(id) })),
  changes,
  success: (_, { name }) => ['Restored', name],
  failure: 'Could not restore the view',
});

/** The website opens with the view for oneself, or no longer. */
export const toggleDefaultView = (websiteId: string) =>
  command({
    send: ({ id, isDefault }: SavedView) => {
      const params = { ...one(id), query: { websiteId } };
      return done(
        isDefault
          ? api.DELETE('/api/platform/views/{id}/default', { params })
          : api.PUT('/api/platform/views/{id}/default', { params }),
      );
    },
    changes,
    failure: 'Could not change the default view',
  });
