// Hints that an account has put away in this browser.
const keyOf = (owner: string, hint: string): string => `dismissed:${owner}:${hint}`;

export function isDismissed(owner: string, hint: string): boolean {
  try {
    return localStorage.getItem(keyOf(owner, hint)) !== null;
  } catch {
    return false;
  }
}

export function dismiss(owner: string, hint: string): void {
  try {
    localStorage.setItem(keyOf(owner, hint), 'yes');
  } catch {
    // Storage is full or blocked: it is put away until the page is left.
  }
}
