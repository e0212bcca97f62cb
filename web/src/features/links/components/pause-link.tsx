import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { api, body } from '@/lib/api/client';
import { messageOf } from '@/lib/api/errors';
import { toast, toastError } from '@/stores/toasts';
import { useLinksChanged } from '../api/links';

/** Turns a link off, after a confirmation. `name`: as the person knows it, such as /deal. */
export function PauseLink({ id, name }: { readonly id: string; readonly name: string }) {
  const [asking, setAsking] = useState(false);
  const changed = useLinksChanged();
  const pause = useMutation({
    mutationFn: () =>
      body(api.PATCH('/api/platform/links/{id}', { params: { path: { id } }, body: { isActive: false } })),
    onSuccess: async () => {
      toast('Link paused', `${name} no longer redirects. Turn it on again on the Links page.`);
      await changed();
    },
    onError: (error) => toastError('Failed to pause the link', messageOf(error)),
  });
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
          onConfirm={() => pause.mutate()}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
