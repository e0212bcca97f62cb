import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { opened } from '@/components/data/opened';
import { Button, buttonClass } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';
import { countOf } from '@/lib/format';
import { applyImport, cancelImport, undoImport, type NetworkImport } from '../api/imports';
import { applyLabel } from '../lib/numbers';

const ConfirmDialog = opened(() => import('@/components/ui/confirm-dialog').then((module) => module.ConfirmDialog));

/** What may be done with an import now. */
export function ImportActions({ of }: { readonly of: NetworkImport }) {
  const apply = useCommand(applyImport);
  const cancel = useCommand(cancelImport);
  const undo = useCommand(undoImport);
  const [isAsked, setAsked] = useState(false);
  const { importId: id, state } = of;
  const isOpen = state === 'reading' || state === 'asking' || state === 'ready' || state === 'applying';
  if (!isOpen && state !== 'applied') return null;
  return (
    <div className="flex flex-wrap justify-end gap-2">
      {isOpen && (
        <Button busy={cancel.isPending} disabled={apply.isPending} onClick={() => cancel.mutate(id)}>
          Cancel
        </Button>
      )}
      {state === 'ready' && (
        <Button variant="primary" busy={apply.isPending} disabled={cancel.isPending} onClick={() => apply.mutate(id)}>
          {applyLabel(of)}
        </Button>
      )}
      {state === 'applied' && (
        <Link
          to="/conversions"
          search={{ website: of.websiteId, importId: id }}
          className={buttonClass({ variant: 'ghost' })}
        >
          Show its sales
        </Link>
      )}
      {state === 'applied' && (
        <Button busy={undo.isPending} onClick={() => setAsked(true)}>
          Undo import
        </Button>
      )}
      {isAsked && (
        <ConfirmDialog
          title="Undo this import?"
          description={`${countOf(of.new ?? 0, 'new sale')} will no longer count, and ${countOf(of.changed ?? 0, 'changed sale')} will have earlier values again. Sales that another report has keep its values. The file and its rows are deleted; you can upload it again.`}
          action="Undo import"
          onConfirm={() => undo.mutate(id)}
          onClose={() => setAsked(false)}
        />
      )}
    </div>
  );
}
