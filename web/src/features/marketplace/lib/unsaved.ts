// Unsaved listing input survives a reload, a lost connection and an expired session.
import { getSession } from '@/lib/session';
import type { Draft } from './draft';
import { NICHES } from './format';

/** The storage key, per account. Read once, because the session may end in between. */
export const placeOf = (id: string): string => `unsaved:${getSession()?.user.id ?? ''}:listing:${id}`;

/** What was typed on this edition; on a newer one it would undo what was changed elsewhere. */
export function readUnsaved(place: string, edition: number, initial: Draft): Draft | null {
  try {
    const kept = JSON.parse(localStorage.getItem(place) ?? 'null') as {
      edition?: unknown;
      draft?: Record<string, unknown>;
    } | null;
    if (kept?.edition !== edition || !kept.draft) return null;
    const { draft } = kept;
    const texts = Object.keys(initial).map((name) => [name, draft[name]] as const);
    if (!texts.every(([, text]) => typeof text === 'string')) return null;
    const read = Object.fromEntries(texts) as unknown as Draft;
    return { ...read, niche: NICHES.find((niche) => niche === read.niche) ?? '' };
  } catch {
    return null;
  }
}

export function keepUnsaved(place: string, edition: number, draft: Draft): void {
  try {
    localStorage.setItem(place, JSON.stringify({ edition, draft }));
  } catch {
    // Storage is full or blocked: what is typed then lives as long as the page.
  }
}

export function forgetUnsaved(place: string): void {
  try {
    localStorage.removeItem(place);
  } catch {
    // Storage is blocked: nothing was saved.
  }
}
