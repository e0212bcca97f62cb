// Which projections a rebuild run takes, and what the run says of its progress.
import type { Projection, RebuildRun } from '../api/operations';
import { allowed } from './format';

/** Those that can be rebuilt on their own; rollups follow the projection that feeds them. */
export const rebuildable = (rows: readonly Projection[]): string[] =>
  rows.filter((row) => row.family === null && allowed(row).includes('rebuild')).map((row) => row.name);

export const failuresOf = (run: RebuildRun): RebuildRun['rebuilds'] =>
  run.rebuilds.filter((rebuild) => rebuild.error !== '');

/** Rebuilds that are over, however they ended. */
export const endedOf = (run: RebuildRun): number =>
  run.rebuilds.filter((rebuild) => !['waiting', 'running'].includes(rebuild.state)).length;

export function progressOf(run: RebuildRun): string {
  const count = run.rebuilds.length;
  const failed = failuresOf(run).length > 0 ? `, ${failuresOf(run).length} failed` : '';
  const current = run.rebuilds.find((rebuild) => rebuild.state === 'running');
  const isStopping = run.rebuilds.some((rebuild) => rebuild.state === 'cancelled');
  const done = run.rebuilds.filter((rebuild) => rebuild.state === 'done').length;
  if (!run.isOpen)
    return isStopping
      ? `Stopped after ${done} of ${count} projections${failed}`
      : `Rebuilt ${done} of ${count} projections${failed}`;
  if (!current) return `Waiting to rebuild ${count - endedOf(run)} of ${count} projections${failed}`;
  if (isStopping) return `Stopping, and canceling ${current.name}`;
  return `Rebuilding ${current.name}: ${endedOf(run) + 1} of ${count}${failed}`;
}
