import { expect, test } from 'vitest';
import { lagText, shortTime } from './freshness';

test.each([
  [0, 'up to date'],
  [4.9, 'up to date'],
  [12, '12 s behind'],
  [70.2, '70 s behind'],
  [600, '10 min behind'],
])('%s seconds of lag read %s', (seconds, text) => {
  expect(lagText(seconds)).toBe(text);
});

test('the newest event is a time today, and a day with it before', () => {
  const now = new Date('2026-11-20T23:30:00Z');
  expect(shortTime('2026-11-20T19:04:10Z', 'UTC', now)).toBe('19:04');
  expect(shortTime('2026-11-20T19:04:10Z', 'Europe/Berlin', now)).toBe('Nov 20, 20:04');
  expect(lagText(null)).toBeNull();
});
