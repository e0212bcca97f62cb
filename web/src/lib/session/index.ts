// The signed-in person in this browser. The cookie that makes the token usable is HttpOnly and never seen here.
import { useSyncExternalStore } from 'react';
import type { components } from '@/lib/api/schema';

export type User = Pick<components['schemas']['SignedInUser'], 'id' | 'email' | 'name' | 'roles'>;
export interface Session {
  readonly token: string;
  readonly user: User;
}

const TOKEN = 'authToken';
const USER = 'user';
const listeners = new Set<() => void>();
let current: Session | null | undefined;
let ended: 'expired' | null = null;

/** Signed in means: both the token and the user are stored. */
export function getSession(): Session | null {
  if (current === undefined) current = read();
  return current;
}

/** Roles that decide what is shown; the server checks them itself. */
/** Moderates the forum; admins do as well. */
export const isModerator = (user: User | undefined): boolean =>
  user?.roles.some((role) => role === 'admin' || role === 'moderator') ?? false;
/** An admin may do all that an analyst may. */
export const isAnalyst = (user: User | undefined): boolean =>
  user?.roles.some((role) => role === 'admin' || role === 'analyst') ?? false;
export const isAdmin = (user: User | undefined): boolean => user?.roles.includes('admin') ?? false;

export function startSession(session: Session): void {
  ended = null;
  write(TOKEN, session.token);
  write(USER, JSON.stringify(session.user));
  change(session);
}

/** Applies changes of the signed-in user, made here, in another browser or by an admin. Ignores other users. */
export function updateUser({ id, name, email, roles }: User): void {
  const session = getSession();
  if (session?.user.id !== id) return;
  const before = session.user;
  if (before.name === name && before.email === email && before.roles.join() === roles.join()) return;
  const user = { id, name, email, roles };
  write(USER, JSON.stringify(user));
  change({ ...session, user });
}

/** `expired`: the server does not accept it any more. */
export function endSession(reason: 'expired' | null = null): void {
  ended = reason;
  write(TOKEN, null);
  write(USER, null);
  change(null);
}

/** Why there is no session; null: nobody signed in, or the person signed out. */
export const whySessionEnded = (): 'expired' | null => (getSession() ? null : ended);

export function useSession(): Session | null {
  return useSyncExternalStore(subscribe, getSession);
}

/** Calls back when the signed-in user changes: here, in another tab, or because the server ended the session. */
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
  // A page that comes back from the browser's cache has slept through what other tabs did.
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
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    'name' in value &&
    'email' in value &&
    'roles' in value &&
    Array.isArray(value.roles)
  );
}

function write(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Storage is full or blocked: the session then lives until the page is closed.
  }
}
