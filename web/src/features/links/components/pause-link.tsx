import { useState } from 'react';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { useCommand } from '@/lib/api/command';
import { pauseLink } from '../api/link-commands';

/** Turns a link off, after a confirmation. `name`: as the person knows it, such as /deal. */
export function PauseLink({ id, name }: { readonly id: string; readonly name: string }) {
  const [asking, setAsking] = useState(false);
  const pause = useCommand(pauseLink(name));
  return (
    <>
      <button
        type="button"
        aria-label={`${pause.isSuccess ? 'Link paused' : 'Pause link'}: ${name}`}
        disabled={pause.isPending || pause.isSuccess}
        className="min-h-6 rounded-md font-medium max-sm:min-h-10 underline-offset-4 hover:underline disabled:text-muted disabled:no-underline"
        onClick={() => setAsking(true)}
      >
        {pause.isSuccess ? 'Link paused' : 'Pause link'}
      </button>
      {asking && (
        <ConfirmDialog
          title={`Pause ${name}?`}
          description="Visitors are no longer sent to the partner until you turn the link on again. Past clicks are still counted."
          action="Pause link"
          onConfirm={() => pause.mutate(id)}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
