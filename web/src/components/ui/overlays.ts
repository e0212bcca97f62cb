// The overlays that are open, the one on top last.
import { createContext, useContext, useEffect, useRef } from 'react';

/** What every overlay bears: browser tests find it by that (e2e/overlays.mjs). */
export const OVERLAY = { 'data-overlay': '' } as const;

export const InDialog = createContext(false);

/** Whether this is part of a dialog, which keeps the wheel from all that is not in it: what opens over it takes the wheel
 *  over by being modal as well. */
export const useInDialog = (): boolean => useContext(InDialog);

const stack: (() => void)[] = [];

export function useOverlay(open: boolean, close: () => void): void {
  const latest = useRef(close);
  useEffect(() => {
    latest.current = close;
  });
  useEffect(() => {
    if (!open) return;
    const entry = () => latest.current();
    stack.push(entry);
    return () => {
      stack.splice(stack.indexOf(entry), 1);
    };
  }, [open]);
}

/** For what lies above an overlay and gets the Escape that is meant for it: says whether there was one to close. */
export function closeTopOverlay(): boolean {
  const close = stack.at(-1);
  close?.();
  return close !== undefined;
}
