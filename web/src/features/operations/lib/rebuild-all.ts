// Rebuilds projections one after the other, with one reason. It goes on while the app is open, on whatever page.
import { create } from 'zustand';
import { api, body } from '@/lib/api/client';
import { messageOf } from '@/lib/api/errors';
import { ask, type Projection } from '../api/operations';
import { allowed, candidateOf } from './format';

export interface RebuildRun {
  readonly names: readonly string[];
  readonly reason: string;
  readonly promotes: boolean;
  /** The one under way is `names[done]`. */
  readonly done: number;
  readonly failures: readonly { readonly name: string; readonly message: string }[];
  readonly state: 'running' | 'stopping' | 'stopped' | 'done';
}

export const useRebuildRun = create<{ readonly run: RebuildRun | null }>(() => ({ run: null }));

const POLL_MS = 1000;

/** Those that can be rebuilt on their own; rollups follow the projection that feeds them. */
export const rebuildable = (rows: readonly Projection[]): string[] =>
  rows.filter((row) => row.family === null && allowed(row).includes('rebuild')).map((row) => row.name);

export async function rebuildAll(
  names: readonly string[],
  reason: string,
  promotes: boolean,
  pollMs = POLL_MS,
): Promise<void> {
  set({ names, reason, promotes, done: 0, failures: [], state: 'running' });
  for (const name of names) {
    if (current()?.state !== 'running') break;
    try {
      await rebuild(name, reason, promotes, pollMs);
    } catch (error) {
      change((run) => ({ failures: [...run.failures, { name, message: messageOf(error) }] }));
    }
    if (current()?.state === 'running') change((run) => ({ done: run.done + 1 }));
  }
  change((run) => ({ state: run.state === 'running' ? 'done' : 'stopped' }));
}

/** Stops after cancelling the build under way. */
export const stopRebuilding = (): void => change((run) => (run.state === 'running' ? { state: 'stopping' } : {}));

export const dismissRun = (): void => useRebuildRun.setState({ run: null });

async function rebuild(name: string, reason: string, promotes: boolean, pollMs: number): Promise<void> {
  const { id } = await ask(name, 'rebuild', reason);
  for (;;) {
    const shown = await body(api.GET('/api/admin/projections/{name}', { params: { path: { name } } }));
    const request = shown.requests.find((one) => one.id === id);
    if (request?.state === 'refused') throw new Error(request.error);
    const build = shown.builds.find((one) => one.generation === request?.generation);
    if (build?.state === 'failed') throw new Error(build.error || 'The build failed.');
    if (build && ['cancelled', 'live', 'retired'].includes(build.state)) return;
    const isStarting = request === undefined || ['waiting', 'running'].includes(request.state);
    if (current()?.state !== 'running' && !isStarting) {
      if (candidateOf(shown)) await ask(name, 'cancel', reason);
      return;
    }
    if (build?.state === 'ready') {
      if (promotes) await ask(name, 'promote', reason);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

const current = (): RebuildRun | null => useRebuildRun.getState().run;
const set = (run: RebuildRun): void => useRebuildRun.setState({ run });
const change = (part: (run: RebuildRun) => Partial<RebuildRun>): void =>
  useRebuildRun.setState(({ run }) => ({ run: run && { ...run, ...part(run) } }));
