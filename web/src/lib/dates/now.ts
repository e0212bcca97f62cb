// One clock for all "updated n s ago" labels; it pauses while the page is hidden.
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

export const useNow = (): number => useFromNow((at) => at);

/** A value derived from the time; re-renders only when the value changes. */
export function useFromNow<T extends string | number>(read: (now: number) => T): T {
  return useSyncExternalStore(subscribe, () => read(now));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    now = Date.now();
    timer = setInterval(() => {
      if (document.hidden) return;
      now = Date.now();
      for (const item of listeners) item();
    }, 1000);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}
