import { expect, test } from 'vitest';
import { USER } from '@/test/fixtures';
import { endSession, getSession, startSession, watchOwner } from './session';

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
