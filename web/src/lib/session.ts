// The signed-in person in this browser. The cookie that makes the token usable is HttpOnly and never seen here.
import { useSyncExternalStore } from 'react';
import type { components } from './api/schema';

export type User = Pick<components['schemas']['User'], 'id' | 'email' | 'name' | 'roles'>;
export interface Session {
  readonly token: string;
  readonly user: User;
}

const TOKEN = 'authToken';
const USER = 'user';
const listeners = new Set<() => void>();
let current: Session | null | undefined;

/** Signed in means: both the token and the user are stored. */
export function getSession(): Session | null {
  if (current === undefined) current = read();
  return current;
}

/** What the screens show by; the server asks for itself. */
export const isAdmin = (user: User | undefined): boolean => user?.roles.includes('admin') ?? false;

export function startSession(session: Session): void {
  write(TOKEN, session.token);
  write(USER, JSON.stringify(session.user));
  change(session);
}

export function renewToken(token: string): void {
  const session = getSession();
  if (!session || session.token === token) return;
  write(TOKEN, token);
  change({ ...session, token });
}

/** What the person changed about themselves. */
export function updateUser(changes: Partial<Pick<User, 'name' | 'email'>>): void {
  const session = getSession();
  if (!session) return;
  const user = { ...session.user, ...changes };
  if (user.name === session.user.name && user.email === session.user.email) return;
  write(USER, JSON.stringify(user));
  change({ ...session, user });
}

export function endSession(): void {
  write(TOKEN, null);
  write(USER, null);
  change(null);
}

export function useSession(): Session | null {
  return useSyncExternalStore(subscribe, getSession);
}

/** Calls back when another person, or nobody, is signed in: here, in another tab, or because the server ended it. */
export function watchOwner(listener: (owner: string | undefined) => void): () => void {
  let owner = getSession()?.user.id;
  return subscribe(() => {
    const now = getSession()?.user.id;
    if (now === owner) return;
    owner = now;
    listener(owner);
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  const onStorage = (event: StorageEvent) => {
    if (event.key !== TOKEN && event.key !== USER && event.key !== null) return;
    change(read());
  };
  window.addEventListener('storage', onStorage);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', onStorage);
  };
}

function change(session: Session | null): void {
  current = session;
  for (const listener of listeners) listener();
}

function read(): Session | null {
  try {
    const token = localStorage.getItem(TOKEN);
    const user: unknown = JSON.parse(localStorage.getItem(USER) ?? 'null');
    return token && isUser(user) ? { token, user } : null;
  } catch {
    return null;
  }
}

function isUser(value: unknown): value is User {
  return typeof value === 'object' && value !== null && 'id' in value && 'name' in value && 'email' in value;
}

function write(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Storage is full or blocked: the session then lives until the page is closed.
  }
}
