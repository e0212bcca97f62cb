// Whether a sign-in is solving a proof of work right now, for the forms that show it.
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let running = 0;

/** The check lasts as long as `work`. */
export async function duringSecurityCheck<T>(work: () => Promise<T>): Promise<T> {
  change(1);
  try {
    return await work();
  } finally {
    change(-1);
  }
}

export const useSecurityCheck = (): boolean => useSyncExternalStore(subscribe, () => running > 0);

function change(by: number): void {
  running += by;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
