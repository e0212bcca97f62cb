import { useState } from 'react';
import { create } from 'zustand';
import { Button } from '@/components/ui/button';
import { Check } from '@/components/ui/check';
import { useCommand } from '@/lib/api/command';
import { countOf } from '@/lib/format';
import { rebuildAll, stopRebuilding, type RebuildRun } from '../api/operations';
import { endedOf, failuresOf, progressOf } from '../lib/rebuild-all';
import { ReasonDialog } from './dialogs';

const useDismissedRun = create<{ readonly dismissed: string | null }>(() => ({ dismissed: null }));

/** Requests the reason, then begins. */
export function RebuildAllDialog({
  names,
  onClose,
}: {
  readonly names: readonly string[];
  readonly onClose: () => void;
}) {
  const [promotes, setPromotes] = useState(false);
  const start = useCommand(rebuildAll(names, promotes));
  return (
    <ReasonDialog
      title={`Rebuild ${countOf(names.length, 'projection')}`}
      description="They are rebuilt one after the other, next to the live generations. You can close this page meanwhile."
      confirm="Rebuild all"
      danger={false}
      onClose={onClose}
      onConfirm={(reason) => start.mutate(reason)}
    >
      <p className="max-h-32 overflow-y-auto rounded-lg bg-sunken p-3 text-[0.8125rem] break-words">
        {names.join(', ')}
      </p>
      <Check label="Promote each one when it is ready" checked={promotes} onChange={setPromotes} />
    </ReasonDialog>
  );
}

/** How far the run is, with a way to stop it; its outcome until it is dismissed. */
export function RebuildAllProgress({ run }: { readonly run: RebuildRun }) {
  const { dismissed } = useDismissedRun();
  const stop = useCommand(stopRebuilding);
  const failures = failuresOf(run);
  if (run.id === dismissed) return null;
  return (
    <div role="status" className="mb-3 rounded-lg bg-brand-soft px-4 py-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p>{progressOf(run)}</p>
        {run.isOpen ? (
          <Button size="sm" disabled={stop.isPending} onClick={() => stop.mutate()}>
            Stop rebuilding
          </Button>
        ) : (
          <Button size="sm" onClick={() => useDismissedRun.setState({ dismissed: run.id })}>
            Dismiss
          </Button>
        )}
      </div>
      <progress
        aria-label="Rebuild of all projections"
        className="mt-2 h-1.5 w-full accent-brand"
        value={endedOf(run)}
        max={run.rebuilds.length}
      />
      {failures.length > 0 && (
        <ul className="mt-2 text-[0.8125rem] text-bad">
          {failures.map(({ name, error }) => (
            <li key={name} className="break-words">{`${name}: ${error}`}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
