import { useState } from 'react';
import { useCommand } from '@/lib/api/command';
import { applyTo } from '../api/matching';
import { trackedLink } from '../lib/labels';

interface Going {
  readonly programId: string;
  readonly window: Window | null;
}

/** Records the application and opens the program's page by the tracked link. `blocked`: that link, where the browser let
 *  no window open. The window opens with the click itself: later no browser would allow it. */
export function useApply() {
  const [blocked, setBlocked] = useState('');
  const going = useCommand(applyTo, {
    onSuccess: ({ id }, { window: opened }: Going) => {
      const link = trackedLink(id);
      if (opened && !opened.closed) {
        opened.opener = null;
        opened.location.replace(link);
      } else setBlocked(link);
    },
    onError: (_error, { window: opened }: Going) => opened?.close(),
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
