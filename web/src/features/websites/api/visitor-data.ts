import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import type { components } from '@/lib/api/schema';

export type VisitorData = components['schemas']['VisitorData'];
export type VisitorQuery = components['schemas']['VisitorQuery'];
export type IdKind = VisitorQuery['kind'];

const ERASURES = 'visitor-erasures';

export const findVisitor = (websiteId: string, query: VisitorQuery) =>
  body(api.POST('/api/platform/websites/{id}/visitor-data/find', { params: { path: { id: websiteId } }, body: query }));

/** The rows themselves, as a file. */
export const exportVisitor = (websiteId: string, query: VisitorQuery): Promise<Blob> =>
  body(
    api.POST('/api/platform/websites/{id}/visitor-data/export', {
      params: { path: { id: websiteId } },
      body: query,
      parseAs: 'blob',
    }),
  ) as unknown as Promise<Blob>;

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
