import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '@/lib/api/errors';
import { toast, toastError } from '@/stores/toasts';
import { apply } from '../api/matching';
import { trackedLink } from '../lib/labels';

interface Going {
  readonly programId: string;
  readonly window: Window | null;
}

/** Records the application and opens the program's page by the tracked link. `blocked`: that link, where the browser let
 *  no window open. The window opens with the click itself: later no browser would allow it. */
export function useApply() {
  const client = useQueryClient();
  const [blocked, setBlocked] = useState('');
  const going = useMutation({
    mutationFn: ({ programId }: Going) => apply(programId),
    onSuccess: ({ id }, { window: opened }) => {
      const link = trackedLink(id);
      if (opened && !opened.closed) {
        opened.opener = null;
        opened.location.replace(link);
      } else setBlocked(link);
      toast('Application recorded', 'Track it under Your applications.');
    },
    onError: (error, { window: opened }) => {
      opened?.close();
      toastError('Error', messageOf(error));
    },
    onSettled: () =>
      Promise.all(
        ['applications', 'recommendations'].map((what) => client.invalidateQueries({ queryKey: ['matching', what] })),
      ),
  });
  return {
    busy: going.isPending,
    blocked,
    start: (programId: string): void => {
      if (going.isPending) return;
      setBlocked('');
      going.mutate({ programId, window: window.open('', '_blank') });
    },
  };
}
