import { useMutation } from '@tanstack/react-query';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { api, done } from '@/lib/api/client';
import { messageOf } from '@/lib/api/errors';
import type { Link } from '@/lib/api/types';
import { toast, toastError } from '@/stores/toasts';
import { useLinksChanged } from '../api/links';

export function RemoveLink({ link, onClose }: { readonly link: Link; readonly onClose: () => void }) {
  const changed = useLinksChanged();
  const remove = useMutation({
    mutationFn: () => done(api.DELETE('/api/platform/links/{id}', { params: { path: { id: link.id } } })),
    onSuccess: () => toast('Link removed'),
    onError: (error) => toastError('Failed to remove the link', messageOf(error)),
    onSettled: async () => {
      onClose();
      await changed();
    },
  });
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
        <Button variant="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
          Remove link
        </Button>
      </div>
    </Dialog>
  );
}
