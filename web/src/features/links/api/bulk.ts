import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { cursorQuery } from '@/lib/api/cursor-query';
import type { components } from '@/lib/api/schema';
import type { LinkSelection } from '../lib/selection';

type Schemas = components['schemas'];
export type LinkPlan = Schemas['LinkChangePlan'];
export type LinkBulk = Schemas['LinkBulk'];
export type Change = Pick<Schemas['ChangeManyLinks'], 'move' | 'replace'> & {
  readonly arrange?: Partial<Schemas['ArrangeLinks']>;
};

const POLL_MS = 500;

const bodyOf = (websiteId: string, selection: LinkSelection, { arrange, ...change }: Change) => ({
  websiteId,
  ...('ids' in selection ? { ids: [...selection.ids] } : selection),
  ...change,
  ...(arrange ? { arrange: { addTags: [], removeTags: [], ...arrange } } : {}),
});

/** What a change would do to each link. */
export const planQuery = (websiteId: string, selection: LinkSelection, change: Change) =>
  queryOptions({
    queryKey: ['links', websiteId, 'plan', selection, change] as const,
    queryFn: ({ signal }) =>
      body(api.POST('/api/platform/links/changes/plan', { body: bodyOf(websiteId, selection, change), signal })),
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  });

export const startBulk = (websiteId: string, selection: LinkSelection) =>
  command({
    send: (change: Change) =>
      body(api.POST('/api/platform/links/changes', { body: bodyOf(websiteId, selection, change) })),
  });

export const cancelBulk = command({
  send: (id: string) => body(api.POST('/api/platform/links/changes/{id}/cancel', { params: { path: { id } } })),
  changes: [['links']],
  failure: 'Failed to stop the change',
});

export const undoBulk = command({
  send: (id: string) => body(api.POST('/api/platform/links/changes/{id}/undo', { params: { path: { id } } })),
  failure: 'Failed to undo the change',
});

/** Read again and again until it has ended. */
export const bulkQuery = (id: string) =>
  queryOptions({
    queryKey: ['link-bulks', id] as const,
    queryFn: ({ signal }) => body(api.GET('/api/platform/links/changes/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data && state.data.state !== 'running' ? false : POLL_MS),
  });

/** The links that a change left as they were, and why. */
export const refusedQuery = (id: string) =>
  cursorQuery({
    queryKey: ['link-bulks', id, 'refused'] as const,
    read: (at, signal) =>
      answer(
        api.GET('/api/platform/links/changes/{id}/outcomes', {
          params: { path: { id }, query: { failed: true, limit: 50, ...at } },
          signal,
        }),
      ),
  });
