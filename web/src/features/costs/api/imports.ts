// Imports of files of costs: uploaded, previewed, applied, undone.
import { queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { cursorQuery, rowsOf } from '@/lib/api/cursor-query';
import type { components } from '@/lib/api/schema';
import { sendable } from '@/lib/files/report-file';
import { isRunning } from '@/lib/imports/states';

type Schemas = components['schemas'];
export type CostImport = Schemas['CostImportDetails'];
export type CostImportRow = Schemas['CostImportRow'];
export type CostRowKind = CostImportRow['kind'];
export type CostMapping = Schemas['CostMapping'];

const PAGE = 50;
const POLL_MS = 1000;
const CHANGES = [['cost-imports']];

/** Read again each second while one of them is worked on; not while the page is hidden. */
export const costImportsQuery = (websiteId: string) =>
  cursorQuery({
    queryKey: ['cost-imports', 'list', websiteId] as const,
    read: (at, signal) =>
      answer(api.GET('/api/platform/costs/imports', { params: { query: { websiteId, limit: PAGE, ...at } }, signal })),
    refetchInterval: ({ state }) =>
      state.data && rowsOf(state.data).some((row) => isRunning(row.state)) ? POLL_MS : false,
  });

export const costImportQuery = (id: string) =>
  queryOptions({
    queryKey: ['cost-imports', id] as const,
    queryFn: ({ signal }) => body(api.GET('/api/platform/costs/imports/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data && isRunning(state.data.state) ? POLL_MS : false),
  });

export const costImportRowsQuery = (id: string, kind: CostRowKind) =>
  cursorQuery({
    queryKey: ['cost-imports', id, 'rows', kind] as const,
    read: (at, signal) =>
      answer(
        api.GET('/api/platform/costs/imports/{id}/rows', {
          params: { path: { id }, query: { kind, limit: PAGE, ...at } },
          signal,
        }),
      ),
  });

export interface CostUpload {
  readonly websiteId: string;
  readonly platform: string;
  readonly file: File;
}

export const uploadCosts = command({
  send: async ({ websiteId, platform, file }: CostUpload) => {
    const sent = await sendable(file);
    const form = new FormData();
    form.set('platform', platform);
    form.set('websiteId', websiteId);
    form.set('file', sent.content, sent.name);
    return body(
      api.POST('/api/platform/costs/imports', {
        body: { platform, websiteId, file: sent.name, dryRun: true },
        bodySerializer: () => form,
      }),
    );
  },
  changes: CHANGES,
});

export const changeCostMapping = (id: string) =>
  command({
    send: (mapping: CostMapping) =>
      body(api.PATCH('/api/platform/costs/imports/{id}', { params: { path: { id } }, body: { mapping } })),
    changes: CHANGES,
  });

const one = (id: string) => ({ params: { path: { id } } });

export const applyCostImport = command({
  send: (id: string) => body(api.POST('/api/platform/costs/imports/{id}/apply', one(id))),
  changes: CHANGES,
  failure: 'Failed to apply the costs',
});

export const cancelCostImport = command({
  send: (id: string) => body(api.POST('/api/platform/costs/imports/{id}/cancel', one(id))),
  changes: CHANGES,
  failure: 'Failed to cancel the import',
});

export const undoCostImport = command({
  send: (id: string) => body(api.POST('/api/platform/costs/imports/{id}/undo', one(id))),
  changes: CHANGES,
  failure: 'Failed to undo the import',
});
