import { Button } from './button';
import { Dialog } from './dialog';

interface Props {
  readonly title: string;
  readonly description: string;
  /** The word on the button that does it. */
  readonly action: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Confirmation of a destructive action. */
export function ConfirmDialog({ title, description, action, onConfirm, onClose }: Props) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={title} description={description}>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          variant="danger"
          onClick={() => {
            onClose();
            onConfirm();
          }}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
