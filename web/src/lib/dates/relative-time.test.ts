import { expect, test } from 'vitest';
import { relativeTime } from './relative-time';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const before = (seconds: number) => relativeTime(new Date(NOW - seconds * 1000), NOW, 'UTC');

test.each([
  [-5, 'just now'],
  [0, 'just now'],
  [59, 'just now'],
  [60, '1 minute ago'],
  [3599, '59 minutes ago'],
  [3600, '1 hour ago'],
  [86_399, '23 hours ago'],
  [86_400, '1 day ago'],
  [7 * 86_400 - 1, '6 days ago'],
  [7 * 86_400, 'Nov 13'],
  [400 * 86_400, 'Oct 16, 2025'],
])('spec §9, forum relative times: %i s before is "%s"', (seconds, words) => {
  expect(before(seconds)).toBe(words);
});

test('the date is the one of the reader’s zone', () => {
  expect(relativeTime('2026-11-02T23:30:00Z', NOW, 'Asia/Tokyo')).toBe('Nov 3');
});
