import { queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
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

export const saveView = (kind: ViewKind, content: NamedContent) =>
  body(api.POST('/api/platform/views', { body: { kind, ...content } }));

export const changeView = (id: string, content: NamedContent) =>
  done(api.PATCH('/api/platform/views/{id}', { params: one(id), body: content }));

export const removeView = (id: string) => done(api.DELETE('/api/platform/views/{id}', { params: one(id) }));

export const restoreView = (id: string) => done(api.POST('/api/platform/views/{id}/restore', { params: one(id) }));

/** The website opens with the view for oneself, or no longer. */
export const setDefaultView = (id: string, websiteId: string, isDefault: boolean) => {
  const params = { ...one(id), query: { websiteId } };
  return done(
    isDefault
      ? api.PUT('/api/platform/views/{id}/default', { params })
      : api.DELETE('/api/platform/views/{id}/default', { params }),
  );
};
