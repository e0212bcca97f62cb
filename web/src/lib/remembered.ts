import { useState } from 'react';

/** A choice that lasts in this browser. What is stored and not among `allowed` is ignored. */
export function useRemembered<T extends string>(key: string, allowed: readonly T[], initial: T) {
  const [value, setValue] = useState(() => allowed.find((item) => item === stored(key)) ?? initial);
  const remember = (next: T) => {
    store(key, next);
    setValue(next);
  };
  return [value, remember] as const;
}

/** Several of them, in the order of `allowed`. */
export function useRememberedSet<T extends string>(key: string, allowed: readonly T[], initial: readonly T[]) {
  const [values, setValues] = useState(() => {
    const text = stored(key);
    if (text === null) return initial;
    const names = text.split(',');
    return allowed.filter((item) => names.includes(item));
  });
  const remember = (next: readonly T[]) => {
    store(key, next.join(','));
    setValues(next);
  };
  return [values, remember] as const;
}

function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // storage is blocked
  }
}

function store(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The choice then lasts until the page is closed.
  }
}
