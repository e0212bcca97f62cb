import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';

type Schemas = components['schemas'];
export type VisitorData = Schemas['VisitorData'];
export type VisitorQuery = Schemas['VisitorQuery'];
export type IdKind = VisitorQuery['kind'];

const ERASURES = 'visitor-erasures';

/** While tables are built without a person, it is asked again. */
export const erasuresQuery = (websiteId: string) =>
  queryOptions({
    queryKey: [ERASURES, websiteId] as const,
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/platform/websites/{id}/visitor-data/erasures', { params: { path: { id: websiteId } }, signal }),
      ),
    refetchInterval: (query) => (query.state.data?.some((erasure) => erasure.state === 'running') ? 10_000 : false),
    staleTime: 0,
  });

export interface Found {
  readonly query: VisitorQuery;
  readonly data: VisitorData;
}

export const findVisitor = (id: string) =>
  command({
    send: async (query: VisitorQuery): Promise<Found> => ({
      query,
      data: await body(
        api.POST('/api/platform/websites/{id}/visitor-data/find', { params: { path: { id } }, body: query }),
      ),
    }),
  });

/** The rows themselves, as a file. */
export const exportVisitor = (id: string) =>
  command({
    send: (query: VisitorQuery) =>
      body(
        api.POST('/api/platform/websites/{id}/visitor-data/export', {
          params: { path: { id } },
          body: query,
          parseAs: 'blob',
        }),
      ) as unknown as Promise<Blob>,
    failure: 'Failed to export the data',
  });

export const eraseVisitor = (id: string) =>
  command({
    send: (erased: Schemas['EraseVisitor']) =>
      body(api.POST('/api/platform/websites/{id}/visitor-data/erase', { params: { path: { id } }, body: erased })),
    changes: [erasuresQuery(id).queryKey],
    success: ['Visitor erased', 'Reports are rebuilt without the person; this can take an hour.'],
  });
