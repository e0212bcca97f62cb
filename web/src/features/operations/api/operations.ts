// State of projections, dead letters and the system; refetched every second while an operation runs.
import { queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import { cursorQuery, rowsOf } from '@/lib/api/cursor-query';
import { command } from '@/lib/api/command';
import { messageOf } from '@/lib/api/errors';
import type { components } from '@/lib/api/schema';
import { formatCount } from '@/lib/format';
import { LABELS } from '../lib/format';

type Schemas = components['schemas'];
export type Projection = Schemas['Projection'];
export type ProjectionDetail = Schemas['ProjectionDetail'];
export type Build = Schemas['Build'];
export type Comparison = Schemas['Comparison'];
export type OperationRequest = Schemas['RequestShown'];
export type RebuildRun = Schemas['RebuildRunShown'];
export type DeadLetter = Schemas['DeadLetter'];
export type DeadLetterGroup = Schemas['DeadLetterGroup'];
export type RevealedRecord = Schemas['RevealedRecord'];
export type System = Schemas['System'];
export type UsageToday = Schemas['UsageToday'];
export type Subscriptions = Schemas['Subscriptions'];

export const ACTIONS = ['pause', 'resume', 'rebuild', 'verify', 'promote', 'rollback', 'cancel'] as const;
export type Action = (typeof ACTIONS)[number];

const BUSY_MS = 1000;
const IDLE_MS = 5000;
const PAGE = 25;
const WORKING = ['building', 'catching_up'];
const OPEN = ['waiting', 'running'];

export const isBusy = (projection: Pick<Projection, 'builds' | 'requests'>): boolean =>
  projection.builds.some((build) => WORKING.includes(build.state)) ||
  projection.requests.some((request) => OPEN.includes(request.state));

export const projectionsQuery = queryOptions({
  queryKey: ['operations', 'projections'],
  queryFn: ({ signal }) => body(api.GET('/api/admin/projections', { signal })),
  refetchInterval: ({ state }) => (state.data?.some(isBusy) ? BUSY_MS : IDLE_MS),
});

export const projectionQuery = (name: string) =>
  queryOptions({
    queryKey: ['operations', 'projections', name],
    queryFn: ({ signal }) => body(api.GET('/api/admin/projections/{name}', { params: { path: { name } }, signal })),
    refetchInterval: ({ state }) => (state.data && isBusy(state.data) ? BUSY_MS : IDLE_MS),
  });

/** The run in progress, or the last one of the day; null if there is none. */
export const rebuildRunQuery = queryOptions({
  queryKey: ['operations', 'rebuild-run'],
  queryFn: ({ signal }) => body(api.GET('/api/admin/rebuild-runs/latest', { signal })),
  refetchInterval: ({ state }) => (state.data?.isOpen ? BUSY_MS : IDLE_MS),
});

export const accountUsageQuery = queryOptions({
  queryKey: ['operations', 'account-usage'],
  queryFn: ({ signal }) => body(api.GET('/api/admin/account-usage', { signal })),
  refetchInterval: IDLE_MS,
});

export const subscriptionsQuery = queryOptions({
  queryKey: ['operations', 'subscriptions'],
  queryFn: ({ signal }) => body(api.GET('/api/admin/subscriptions', { signal })),
  refetchInterval: IDLE_MS,
});

export const groupsQuery = queryOptions({
  queryKey: ['operations', 'dead-letters', 'groups'],
  queryFn: ({ signal }) => body(api.GET('/api/admin/dead-letters/groups', { signal })),
  refetchInterval: ({ state }) => (state.data?.some((group) => group.waiting > 0) ? BUSY_MS : IDLE_MS),
});

export interface Choice {
  readonly projection: string;
  readonly reason: string;
}

export const lettersQuery = ({ projection, reason }: Choice) =>
  cursorQuery({
    queryKey: ['operations', 'dead-letters', projection, reason],
    read: (at, signal) =>
      answer(
        api.GET('/api/admin/dead-letters', {
          params: { query: { projection, reason, limit: PAGE, ...at } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) =>
      state.data && rowsOf(state.data).some((letter) => letter.isWaiting) ? BUSY_MS : IDLE_MS,
  });

export const systemQuery = queryOptions({
  queryKey: ['operations', 'system'],
  queryFn: ({ signal }) => body(api.GET('/api/admin/system', { signal })),
  refetchInterval: IDLE_MS,
});

export interface OperationInput {
  readonly name: string;
  readonly action: Action;
  readonly reason: string;
  readonly force?: boolean;
}

const PROJECTIONS = [projectionsQuery.queryKey];

export const requestOperation = command({
  send: ({ name, action, reason, force = false }: OperationInput) =>
    body(
      api.POST('/api/admin/projections/{name}/{action}', {
        params: { path: { name, action } },
        body: { reason, force },
      }),
    ),
  changes: PROJECTIONS,
  failure: (error, { name, action }) => [`${LABELS[action]} ${name}: rejected`, messageOf(error)],
});

export const rebuildAll = (names: readonly string[], promotes: boolean) =>
  command({
    send: (reason: string) =>
      body(api.POST('/api/admin/rebuild-runs', { body: { names: [...names], reason, promotes } })),
    changes: [['operations']],
    failure: 'Rebuild all: rejected',
  });

export const stopRebuilding = command({
  send: () => body(api.POST('/api/admin/rebuild-runs/cancel', { body: { reason: '' } })),
  changes: [['operations']],
  failure: 'Stop rebuilding: rejected',
});

export const stopComparing = command({
  send: (name: string) =>
    body(api.POST('/api/admin/projections/{name}/verify/cancel', { params: { path: { name } }, body: { reason: '' } })),
  changes: PROJECTIONS,
  failure: 'Failed to stop comparing',
});

export type Asked =
  | { readonly kind: 'retry' | 'skip' | 'reveal'; readonly letter: DeadLetter }
  | { readonly kind: 'retry' | 'skip'; readonly group: Choice; readonly count: number };

/** Retries, skips or reveals dead letters. */
export const handleLetters = command({
  send: async ({ asked, reason }: { readonly asked: Asked; readonly reason: string }) => {
    if ('group' in asked) return { group: await handleGroup(asked.group, asked.kind, reason) };
    if (asked.kind === 'reveal') return { record: await reveal(asked.letter.id, reason) };
    return { letter: await handleLetter(asked.letter.id, asked.kind, reason) };
  },
  changes: [['operations', 'dead-letters']],
  success: ({ record, group }, { asked }) => {
    if (record) return null;
    if (!group) return asked.kind === 'skip' ? 'Skipped' : 'Being retried';
    const left = group.left > 0 ? `${formatCount(group.left)} are left` : undefined;
    return [`${formatCount(group.handled)} ${asked.kind === 'skip' ? 'skipped' : 'are being retried'}`, left];
  },
  failure: (error, { asked }) => [`Failed to ${asked.kind}`, messageOf(error)],
});

const handleLetter = (id: string, action: 'retry' | 'skip', reason: string) => {
  const call = { params: { path: { id } }, body: { reason } };
  return action === 'retry'
    ? body(api.POST('/api/admin/dead-letters/{id}/retry', call))
    : body(api.POST('/api/admin/dead-letters/{id}/skip', call));
};

const handleGroup = ({ projection, reason: kind }: Choice, action: 'retry' | 'skip', reason: string) => {
  const call = { body: { projection, kind, reason } };
  return action === 'retry'
    ? body(api.POST('/api/admin/dead-letters/retry', call))
    : body(api.POST('/api/admin/dead-letters/skip', call));
};

const reveal = (id: string, reason: string) =>
  body(api.POST('/api/admin/dead-letters/{id}/reveal', { params: { path: { id } }, body: { reason } }));
