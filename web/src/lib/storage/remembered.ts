// Choices that last in this browser. Every component that shows one sees it change.
import { useMemo, useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
/** What storage that is blocked or full does not keep lasts until the page is closed. */
const unstored = new Map<string, string>();

/** A choice; what is stored and not among `allowed` is ignored. */
export function useRemembered<T extends string>(key: string, allowed: readonly T[], initial: T) {
  const text = useSyncExternalStore(subscribe, () => remembered(key));
  const value = allowed.find((item) => item === text) ?? initial;
  return [value, (next: T) => remember(key, next)] as const;
}

/** Several of them, in the order of `allowed`. */
export function useRememberedSet<T extends string>(key: string, allowed: readonly T[], initial: readonly T[]) {
  const text = useSyncExternalStore(subscribe, () => remembered(key));
  const values = text === null ? initial : allowed.filter((item) => text.split(',').includes(item));
  return [values, (next: readonly T[]) => remember(key, next.join(','))] as const;
}

/** The stored texts of several choices, by key; those that are not stored are left out. */
export function useRememberedTexts(keys: readonly string[]): Readonly<Record<string, string>> {
  const text = useSyncExternalStore(subscribe, () =>
    JSON.stringify(
      Object.fromEntries(keys.flatMap((key) => (remembered(key) === null ? [] : [[key, remembered(key)]]))),
    ),
  );
  return useMemo(() => JSON.parse(text) as Readonly<Record<string, string>>, [text]);
}

/** What is stored under the key; null: nothing yet. */
export function remembered(key: string): string | null {
  try {
    return unstored.get(key) ?? localStorage.getItem(key);
  } catch {
    return unstored.get(key) ?? null;
  }
}

export function remember(key: string, value: string): void {
  unstored.delete(key);
  try {
    localStorage.setItem(key, value);
  } catch {
    unstored.set(key, value);
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
