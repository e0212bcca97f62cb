// The statement draft survives reloads and navigation; one per tab and account.
const KEY = 'sql';

export function readDraft(owner: string): string | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    return Array.isArray(kept) && kept[0] === owner && typeof kept[1] === 'string' ? kept[1] : null;
  } catch {
    return null;
  }
}

export function keepDraft(owner: string, sql: string): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify([owner, sql]));
  } catch {
    // Storage is full or blocked: the statement then lives as long as the page.
  }
}
