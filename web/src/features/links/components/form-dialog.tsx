import { useState, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';

interface Props {
  readonly title: string;
  readonly description: ReactNode;
  /** Whether closing would lose input. */
  readonly isDirty: boolean;
  readonly onClose: () => void;
  readonly onSubmit: () => void;
  /** What stays in view below the fields: the button that submits. */
  readonly footer: ReactNode;
  readonly children: ReactNode;
}

/** A dialog with a form: its buttons stay in view, and it asks before it throws input away. */
export function FormDialog({ title, description, isDirty, onClose, onSubmit, footer, children }: Props) {
  const [asking, setAsking] = useState(false);
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (open) return;
        if (isDirty) setAsking(true);
        else onClose();
      }}
      title={title}
      description={description}
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        <div className="sticky -bottom-5 z-10 -mx-5 -mb-5 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-raised px-5 py-3">
          {asking ? (
            <>
              <p role="alert" className="mr-auto font-medium">
                Discard what you entered?
              </p>
              <Button onClick={() => setAsking(false)}>Keep editing</Button>
              <Button variant="danger" onClick={onClose}>
                Discard
              </Button>
            </>
          ) : (
            footer
          )}
        </div>
      </form>
    </Dialog>
  );
}
