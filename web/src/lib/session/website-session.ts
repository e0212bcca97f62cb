// The session of one website, opened with its secret key: a token other than that of `session.ts`, for other endpoints.
import { useSyncExternalStore } from 'react';

export interface WebsiteSession {
  readonly token: string;
  readonly website: { readonly id: string; readonly domain: string };
  readonly user: { readonly name: string; readonly email: string };
}

const KEY = 'websiteSession';
const listeners = new Set<() => void>();
let current: WebsiteSession | null | undefined;

export function getWebsiteSession(): WebsiteSession | null {
  if (current === undefined) current = read();
  return current;
}

export function startWebsiteSession(session: WebsiteSession): void {
  store(JSON.stringify(session));
  change(session);
}

export function endWebsiteSession(): void {
  store(null);
  change(null);
}

export const useWebsiteSession = (): WebsiteSession | null => useSyncExternalStore(subscribe, getWebsiteSession);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  const onStorage = (event: StorageEvent) => {
    if (event.key === KEY || event.key === null) change(read());
  };
  const onShow = (event: PageTransitionEvent) => {
    if (event.persisted) change(read());
  };
  window.addEventListener('storage', onStorage);
  window.addEventListener('pageshow', onShow);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', onStorage);
    window.removeEventListener('pageshow', onShow);
  };
}

function change(session: WebsiteSession | null): void {
  current = session;
  for (const listener of listeners) listener();
}

function read(): WebsiteSession | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    return typeof value === 'object' && value !== null && 'token' in value && 'website' in value && 'user' in value
      ? (value as WebsiteSession)
      : null;
  } catch {
    return null;
  }
}

function store(value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, value);
  } catch {
    // Storage is full or blocked: the session then lives until the page is closed.
  }
}
