// Whether an account was created in this tab: then it is welcomed, not welcomed back.
const KEY = 'firstVisit';

export function markFirstVisit(owner: string): void {
  try {
    sessionStorage.setItem(KEY, owner);
  } catch {
    // Storage is blocked: the person is welcomed back.
  }
}

export function isFirstVisit(owner: string): boolean {
  try {
    return sessionStorage.getItem(KEY) === owner;
  } catch {
    return false;
  }
}
