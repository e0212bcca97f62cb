// The statement draft survives reloads and navigation; one per tab and account.
const KEY = 'sql';

export interface Draft {
  readonly sql: string;
  /** The saved query that it was made from. */
  readonly query: string | null;
}

export function readDraft(owner: string): Draft | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    if (!Array.isArray(kept) || kept[0] !== owner || typeof kept[1] !== 'string') return null;
    return { sql: kept[1], query: typeof kept[2] === 'string' ? kept[2] : null };
  } catch {
    return null;
  }
}

export function keepDraft(owner: string, { sql, query }: Draft): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify([owner, sql, query]));
  } catch {
    // Storage is full or blocked: the statement then lives as long as the page.
  }
}
