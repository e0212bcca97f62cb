import { useRef } from 'react';

/** For dialogs that are opened without a trigger of their own: on closing, the focus goes back to where it was, or to the
 *  page's content where that is gone, unless something else has taken it meanwhile. */
export function useReturnFocus() {
  const before = useRef<Element | null>(null);
  return {
    onOpenAutoFocus: () => {
      before.current = document.activeElement;
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      const free = document.activeElement === null || document.activeElement === document.body;
      const back =
        before.current instanceof HTMLElement && before.current.isConnected && before.current !== document.body
          ? before.current
          : document.getElementById('main');
      if (free) back?.focus({ preventScroll: true });
    },
  };
}
