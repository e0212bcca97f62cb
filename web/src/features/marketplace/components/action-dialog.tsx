import type { ReactNode } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';

export interface ActionProps {
  readonly title: string;
  readonly description: ReactNode;
  /** The word on the button that does it. */
  readonly action: string;
  readonly danger?: boolean;
  readonly doing: { readonly isPending: boolean; readonly error: unknown };
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** Confirmation of a binding action. It stays open until the action is done, and shows errors. */
export function ActionDialog({
  title,
  description,
  action,
  danger = false,
  doing,
  onConfirm,
  onClose,
  children,
}: ActionProps) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={title} description={description}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation(); // a dialog's form is, for React, inside the form that opened it
          onConfirm();
        }}
      >
        {children}
        {Boolean(doing.error) && <ErrorBox error={doing.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant={danger ? 'danger' : 'primary'} busy={doing.isPending}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
