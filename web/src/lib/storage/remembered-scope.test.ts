import { expect, test } from 'vitest';
import { rememberScope, rememberedScope, withRemembered } from './remembered-scope';

test('website and range are remembered for each account, and fill in what an address lacks', () => {
  rememberScope('u1', 'website', { website: 'w2', f: 'is,country,DE' });
  rememberScope('u1', 'range', { range: '30d' });
  expect(withRemembered('u1', ['website', 'range'], { view: 'list' })).toEqual({
    view: 'list',
    website: 'w2',
    range: '30d',
  });
  expect(withRemembered('u1', ['website'], {})).toEqual({ website: 'w2' });
  expect(withRemembered('u2', ['website', 'range'], {})).toBeNull();
});

test('what an address says stands: its days are not mixed with a remembered range', () => {
  rememberScope('u1', 'range', { range: 'custom', from: '2026-11-01', to: '2026-11-07' });
  expect(withRemembered('u1', ['range'], { range: 'today' })).toBeNull();
  expect(withRemembered('u1', ['range'], { from: '2026-10-01' })).toBeNull();
});

test('a range of the past is forgotten with the next choice, also when that is the default', () => {
  rememberScope('u1', 'range', { range: 'custom', from: '2026-11-01', to: '2026-11-07' });
  rememberScope('u1', 'range', { range: 'last-month' });
  expect(rememberedScope('u1')).toEqual({ range: 'last-month' });
  rememberScope('u1', 'range', {});
  expect(rememberedScope('u1')).toEqual({});
});

test.each([
  'no JSON',
  'null',
  '7',
  '{"website":7,"evil":"x","range":""}',
  JSON.stringify({ website: 'x'.repeat(2000) }),
])('nothing is taken from a store that holds %s', (text) => {
  localStorage.setItem('scope:u1', text);
  expect(rememberedScope('u1')).toEqual({});
  expect(withRemembered('u1', ['website', 'range'], {})).toBeNull();
});
