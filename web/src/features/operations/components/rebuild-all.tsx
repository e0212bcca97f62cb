import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Check } from '@/components/ui/check';
import { countOf } from '@/lib/format';
import { dismissRun, rebuildAll, stopRebuilding, useRebuildRun, type RebuildRun } from '../lib/rebuild-all';
import { ReasonDialog } from './reason-dialog';

/** Requests the reason, then begins. */
export function RebuildAllDialog({
  names,
  onClose,
}: {
  readonly names: readonly string[];
  readonly onClose: () => void;
}) {
  const [promotes, setPromotes] = useState(false);
  return (
    <ReasonDialog
      title={`Rebuild ${countOf(names.length, 'projection')}`}
      description="They are rebuilt one after the other, next to the live generations. Keep this app open until all are rebuilt."
      confirm="Rebuild all"
      danger={false}
      onClose={onClose}
      onConfirm={(reason) => void rebuildAll(names, reason, promotes)}
    >
      <p className="max-h-32 overflow-y-auto rounded-lg bg-sunken p-3 text-[0.8125rem] break-words">
        {names.join(', ')}
      </p>
      <Check label="Promote each one when it is ready" checked={promotes} onChange={setPromotes} />
    </ReasonDialog>
  );
}

/** How far it is, with a way to stop it. */
export function RebuildAllProgress() {
  const { run } = useRebuildRun();
  if (!run) return null;
  const over = run.state === 'done' || run.state === 'stopped';
  return (
    <div role="status" className="mb-3 rounded-lg bg-brand-soft px-4 py-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p>{said(run)}</p>
        {over ? (
          <Button size="sm" onClick={dismissRun}>
            Dismiss
          </Button>
        ) : (
          <Button size="sm" disabled={run.state === 'stopping'} onClick={stopRebuilding}>
            Stop rebuilding
          </Button>
        )}
      </div>
      <progress
        aria-label="Rebuild of all projections"
        className="mt-2 h-1.5 w-full accent-brand"
        value={run.done}
        max={run.names.length}
      />
      {run.failures.length > 0 && (
        <ul className="mt-2 text-[0.8125rem] text-bad">
          {run.failures.map(({ name, message }) => (
            <li key={name} className="break-words">{`${name}: ${message}`}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function said({ names, done, failures, state }: RebuildRun): string {
  const failed = failures.length > 0 ? `, ${failures.length} failed` : '';
  if (state === 'done') return `Rebuilt ${done - failures.length} of ${names.length} projections${failed}`;
  if (state === 'stopped') return `Stopped after ${done} of ${names.length} projections${failed}`;
  if (state === 'stopping') return `Stopping, and canceling ${names[done] ?? ''}`;
  return `Rebuilding ${names[done] ?? ''}: ${done + 1} of ${names.length}${failed}`;
}
