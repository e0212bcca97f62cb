// What is being written outlives a reload and a closed page. Each person has their own drafts in this browser.
import { useEffect, useState } from 'react';
import { getSession } from '@/lib/session';

export interface Draft {
  readonly title: string;
  readonly text: string;
  /** Slug of the category, or the post that is answered. */
  readonly about: string;
}

const EMPTY: Draft = { title: '', text: '', about: '' };
const placeOf = (owner: string): string => `draft:${owner}:`;
const keyOf = (what: string): string => placeOf(getSession()?.user.id ?? '') + what;

/** The draft, and how to change it; an empty one leaves nothing behind. */
export function useDraft(what: string): readonly [Draft, (part: Partial<Draft>) => void] {
  const [draft, setDraft] = useState(() => read(what));
  useEffect(() => keep(what, draft), [what, draft]);
  return [draft, (part) => setDraft((before) => ({ ...before, ...part }))];
}

/** For a form that is removed after sending. */
export function dropDraft(what: string): void {
  keep(what, EMPTY);
}

/** On sign-out, so that the next user of this browser finds nothing. An expired session keeps them. */
export function forgetDrafts(owner: string): void {
  try {
    const theirs = Object.keys(localStorage).filter((key) => key.startsWith(placeOf(owner)));
    for (const key of theirs) localStorage.removeItem(key);
  } catch {
    // Storage is blocked: nothing was saved.
  }
}

function read(what: string): Draft {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(what)) ?? 'null');
    if (typeof kept !== 'object' || kept === null) return EMPTY;
    const text = (name: keyof Draft) =>
      name in kept && typeof kept[name as never] === 'string' ? (kept[name as never] as string) : '';
    return { title: text('title'), text: text('text'), about: text('about') };
  } catch {
    return EMPTY;
  }
}

function keep(what: string, draft: Draft): void {
  try {
    if (draft.title || draft.text) localStorage.setItem(keyOf(what), JSON.stringify(draft));
    else localStorage.removeItem(keyOf(what));
  } catch {
    // Storage is full or blocked: the draft then lives as long as the page.
  }
}
