// Imports of networks' reports: uploaded, previewed, applied, undone.
import { queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { cursorQuery, rowsOf } from '@/lib/api/cursor-query';
import type { components } from '@/lib/api/schema';
import { sendable } from '@/lib/files/report-file';
import { isRunning } from '@/lib/imports/states';

type Schemas = components['schemas'];
export type NetworkImport = Schemas['NetworkImportDetails'];
export type ImportState = Schemas['ImportState'];
export type ImportRow = Schemas['NetworkImportRow'];
export type RowKind = ImportRow['kind'];
export type ImportQuestion = Schemas['ImportQuestion'];
export type ReportMapping = Schemas['ReportMapping'];

const PAGE = 50;
const POLL_MS = 1000;
const CHANGES = [['network-imports'], ['reconciliation']];

/** Read again each second while one of them is worked on; not while the page is hidden. */
export const importsQuery = (websiteId: string) =>
  cursorQuery({
    queryKey: ['network-imports', 'list', websiteId] as const,
    read: (at, signal) =>
      answer(
        api.GET('/api/platform/networks/imports', { params: { query: { websiteId, limit: PAGE, ...at } }, signal }),
      ),
    refetchInterval: ({ state }) =>
      state.data && rowsOf(state.data).some((row) => isRunning(row.state)) ? POLL_MS : false,
  });

export const importQuery = (id: string) =>
  queryOptions({
    queryKey: ['network-imports', id] as const,
    queryFn: ({ signal }) => body(api.GET('/api/platform/networks/imports/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data && isRunning(state.data.state) ? POLL_MS : false),
  });

export const importRowsQuery = (id: string, kind: RowKind) =>
  cursorQuery({
    queryKey: ['network-imports', id, 'rows', kind] as const,
    read: (at, signal) =>
      answer(
        api.GET('/api/platform/networks/imports/{id}/rows', {
          params: { path: { id }, query: { kind, limit: PAGE, ...at } },
          signal,
        }),
      ),
  });

export interface ReportUpload {
  readonly websiteId: string;
  readonly network: string;
  readonly file: File;
  /** Who pays rows of an unknown advertiser. */
  readonly partnerId: string | null;
  /** When the network made the report. */
  readonly asOf: string | null;
}

export const uploadReport = command({
  send: async ({ websiteId, network, file, partnerId, asOf }: ReportUpload) => {
    const sent = await sendable(file);
    const form = new FormData();
    form.set('network', network);
    form.set('websiteId', websiteId);
    if (partnerId) form.set('partnerId', partnerId);
    if (asOf) form.set('asOf', asOf);
    form.set('file', sent.content, sent.name);
    return body(
      api.POST('/api/platform/networks/imports', {
        body: { network, websiteId, file: sent.name, dryRun: true },
        bodySerializer: () => form,
      }),
    );
  },
  changes: CHANGES,
});

export const changeMapping = (id: string) =>
  command({
    send: (mapping: ReportMapping) =>
      body(api.PATCH('/api/platform/networks/imports/{id}', { params: { path: { id } }, body: { mapping } })),
    changes: CHANGES,
  });

export const applyImport = command({
  send: (id: string) => body(api.POST('/api/platform/networks/imports/{id}/apply', { params: { path: { id } } })),
  changes: CHANGES,
  failure: 'Failed to apply the report',
});

export const cancelImport = command({
  send: (id: string) => body(api.POST('/api/platform/networks/imports/{id}/cancel', { params: { path: { id } } })),
  changes: CHANGES,
  failure: 'Failed to cancel the import',
});

export const undoImport = command({
  send: (id: string) => body(api.POST('/api/platform/networks/imports/{id}/undo', { params: { path: { id } } })),
  changes: CHANGES,
  failure: 'Failed to undo the import',
});
