import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '@/lib/api/errors';
import { toast, toastError } from '@/stores/toasts';
import { apply, visit } from './queries';

interface Going {
  readonly id: string;
  /** An application that is there already: its page is opened again. */
  readonly again: boolean;
  readonly window: Window | null;
}

/** Records the application and opens the program's page by its tracked address. `blocked`: that address, where the
 *  browser let no window open. The window opens with the click itself: later no browser would allow it. */
export function useApply() {
  const client = useQueryClient();
  const [blocked, setBlocked] = useState('');
  const going = useMutation({
    mutationFn: ({ id, again }: Going) => (again ? visit(id) : apply(id)),
    onSuccess: ({ url }, { window: opened, again }) => {
      if (!/^https?:\/\//.test(url)) return;
      if (opened && !opened.closed) {
        opened.opener = null;
        opened.location.replace(url);
      } else setBlocked(url);
      if (!again) toast('Application recorded', 'Follow it under Your applications.');
    },
    onError: (error, { window: opened }) => {
      opened?.close();
      toastError('Error', messageOf(error));
    },
    onSettled: () => Promise.all(['applications', 'recommendations'].map((what) => client.invalidateQueries({ queryKey: ['matching', what] }))),
  });
  return {
    busy: going.isPending,
    blocked,
    start: (id: string, again = false): void => {
      setBlocked('');
      going.mutate({ id, again, window: window.open('', '_blank') });
    },
  };
}
