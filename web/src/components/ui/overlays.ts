// The overlays that are open, the one on top last.
import { useEffect, useRef } from 'react';

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
