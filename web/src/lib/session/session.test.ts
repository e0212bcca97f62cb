import { expect, test } from 'vitest';
import { USER } from '@/test/fixtures';
import { endSession, getSession, isAdmin, isAnalyst, isModerator, startSession, watchOwner, type User } from './index';

/** As another tab's page learns it. */
const fromStorage = () => {
  const stop = watchOwner(() => undefined);
  window.dispatchEvent(new StorageEvent('storage', { key: null }));
  stop();
  return getSession();
};

test('spec §3, client session: authToken and a user with a name in the local storage, signed in by both of them alone', () => {
  startSession({ token: 'token-1', user: USER });
  expect(localStorage.getItem('authToken')).toBe('token-1');
  expect(JSON.parse(localStorage.getItem('user') ?? '')).toMatchObject({ name: USER.name });
  expect(fromStorage()).toEqual({ token: 'token-1', user: USER });
  localStorage.removeItem('authToken');
  expect(fromStorage()).toBeNull();
  startSession({ token: 'token-1', user: USER });
  localStorage.removeItem('user');
  expect(fromStorage()).toBeNull();
  localStorage.setItem('user', '{"name":'); // cut off
  expect(fromStorage()).toBeNull();
});

test('spec §4: logging out removes both stored items', () => {
  startSession({ token: 'token-1', user: USER });
  endSession();
  expect([localStorage.getItem('authToken'), localStorage.getItem('user')]).toEqual([null, null]);
});

test.each<[User['roles'], readonly string[]]>([
  [['member'], []],
  [['member', 'analyst'], ['analyst']],
  [['member', 'moderator'], ['moderator']],
  [
    ['member', 'admin'],
    ['admin', 'analyst', 'moderator'],
  ],
])('the roles %j may what is for %j', (roles, may) => {
  const user = { ...USER, roles };
  const found = [isAdmin(user) && 'admin', isAnalyst(user) && 'analyst', isModerator(user) && 'moderator'];
  expect(found.filter(Boolean)).toEqual(may);
});

test('nobody who is not signed in has a role', () => {
  expect([isAdmin(undefined), isAnalyst(undefined), isModerator(undefined)]).toEqual([false, false, false]);
});
