import { useState, type ReactNode } from 'react';
import { Form } from '@/components/form/form';
import type { SentForm } from '@/components/form/use-request-form';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';

interface Props {
  readonly form: SentForm;
  readonly title: string;
  readonly description: ReactNode;
  /** Whether closing would lose input. */
  readonly isDirty: boolean;
  readonly onClose: () => void;
  /** What stays in view below the fields: the button that submits. */
  readonly footer: ReactNode;
  readonly children: ReactNode;
}

/** A dialog with a form: its buttons stay in view, and it asks before it throws input away. */
export function FormDialog({ title, description, form, isDirty, onClose, footer, children }: Props) {
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
      <Form form={form}>
        {children}
        <div className="sticky -bottom-5 z-raised -mx-5 -mb-5 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-raised px-5 py-3">
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
      </Form>
    </Dialog>
  );
}
