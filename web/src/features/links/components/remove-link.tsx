import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { useCommand } from '@/lib/api/command';
import type { Link } from '@/lib/api/types';
import { removeLink } from '../api/link-commands';

interface Props {
  readonly link: Link;
  readonly onClose: () => void;
  readonly onRemoved?: () => void;
}

export function RemoveLink({ link, onClose, onRemoved = onClose }: Props) {
  const remove = useCommand(removeLink, { onSuccess: onRemoved, onError: onClose });
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title="Remove this link?"
      description={`${link.url} stops working. Past clicks are still counted.`}
    >
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="danger" busy={remove.isPending} onClick={() => remove.mutate(link.id)}>
          Remove link
        </Button>
      </div>
    </Dialog>
  );
}
