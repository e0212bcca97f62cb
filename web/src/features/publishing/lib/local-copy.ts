// A copy of a document in this browser, until the server has it: it survives a reload, a lost connection and an expired
// session. On sign-out it is forgotten (lib/drafts.ts).
import { getSession } from '@/lib/session';

export interface LocalCopy<T> {
  /** The version that was changed. */
  readonly basedOn: number;
  readonly value: T;
}

/** The storage key, per account. Read once, because the session may end in between. */
export const placeOf = (what: string): string => `draft:${getSession()?.user.id ?? ''}:${what}`;

/** The copy, if `isValid` knows its shape. */
export function readCopy<T>(place: string, isValid: (value: unknown) => value is T): LocalCopy<T> | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? 'null');
    if (typeof kept !== 'object' || kept === null || !('basedOn' in kept) || !('value' in kept)) return null;
    const { basedOn, value } = kept;
    return typeof basedOn === 'number' && isValid(value) ? { basedOn, value } : null;
  } catch {
    return null;
  }
}

/** False: storage is full or blocked, and what is typed lives as long as the page. */
export function keepCopy<T>(place: string, copy: LocalCopy<T>): boolean {
  try {
    localStorage.setItem(place, JSON.stringify(copy));
    return true;
  } catch {
    return false;
  }
}

export function dropCopy(place: string): void {
  try {
    localStorage.removeItem(place);
  } catch {
    // Storage is blocked: nothing was kept.
  }
}
