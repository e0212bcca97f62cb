import { expect, test } from 'vitest';
import {
  addDays,
  addYears,
  ago,
  daysBetween,
  formatDateTime,
  formatIn,
  formatTime,
  formatZoned,
  isDay,
  startOfDay,
  todayIn,
  wallClock,
} from './index';

test('plain dates and local times are never moved by a zone', () => {
  for (const zone of ['UTC', 'America/Los_Angeles', 'Asia/Kolkata', 'Pacific/Auckland']) {
    expect(wallClock('2026-11-20', zone)).toBe('2026-11-20T00:00');
    expect(wallClock('2026-11-20T15:00:00', zone)).toBe('2026-11-20T15:00');
    expect(formatIn('2026-11-20', zone, { month: 'short', day: 'numeric' })).toBe('Nov 20');
  }
});

test('a day begins at its first instant, where midnight is skipped or comes twice', () => {
  for (const [day, zone, instant] of [
    ['2026-11-20', 'UTC', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20', 'America/Los_Angeles', '2026-11-20T08:00:00.000Z'],
    ['2026-11-20', 'Asia/Kathmandu', '2026-11-19T18:15:00.000Z'],
    ['2026-11-20', 'Pacific/Kiritimati', '2026-11-19T10:00:00.000Z'],
    ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z'],
    ['2026-03-08', 'America/Havana', '2026-03-08T05:00:00.000Z'],
  ] as const) {
    expect(startOfDay(day, zone)).toBe(instant);
  }
});

test('instants are shown in the zone', () => {
  expect(wallClock('2026-11-20T20:00:00Z', 'Asia/Kolkata')).toBe('2026-11-21T01:30');
  expect(wallClock('2026-11-20T20:00:00+00:00', 'America/Los_Angeles')).toBe('2026-11-20T12:00');
});

test('today depends on the zone', () => {
  const now = new Date('2026-11-20T23:30:00Z');
  expect(todayIn('Atlantic/Reykjavik', now)).toBe('2026-11-20');
  expect(todayIn('Europe/Berlin', now)).toBe('2026-11-21');
  expect(todayIn('America/Los_Angeles', now)).toBe('2026-11-20');
});

test('a time of another year says which, in the zone', () => {
  const now = new Date('2026-01-01T01:00:00Z');
  expect(formatDateTime('2026-01-01T00:30:00Z', 'UTC', now)).toBe('Jan 1, 00:30');
  expect(formatDateTime('2025-12-31T23:30:00Z', 'UTC', now)).toBe('Dec 31, 2025, 23:30');
  expect(formatDateTime('2025-12-31T23:30:00Z', 'America/Los_Angeles', now)).toBe('Dec 31, 15:30');
});

test('days and years', () => {
  expect(addDays('2026-03-01', -1)).toBe('2026-02-28');
  expect(addDays('2024-02-28', 1)).toBe('2024-02-29');
  expect(addYears('2024-02-29', -1)).toBe('2023-02-28');
  expect(addYears('2025-02-28', -1)).toBe('2024-02-28');
  expect(daysBetween('2026-03-28', '2026-03-30')).toBe(3);
});

test('only real days are days', () => {
  expect(isDay('2026-02-28')).toBe(true);
  for (const text of ['2026-02-30', '2026-13-01', '26-01-01', '2026-1-1', '', undefined])
    expect(isDay(text)).toBe(false);
});

test.each([
  [0, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_600_000, '1 h'],
  [90_000_000, '1 d'],
  [-5000, '0 s'],
])('%d ms is %s', (ms, text) => {
  expect(ago(0, ms)).toBe(text);
});

test('a zone that the browser does not know yet is shown in UTC', () => {
  expect(formatTime('2026-01-01T00:30:00Z', 'America/Newtown')).toBe('00:30:00 UTC');
  expect(wallClock('2026-01-01T00:30:00Z', 'America/Newtown')).toBe('2026-01-01T00:30');
});

test('a time of a page without a zone names its own', () => {
  const now = new Date('2026-11-20T12:00:00Z');
  expect(formatZoned('2026-11-20T12:00:00Z', 'UTC', now)).toBe('Nov 20, 12:00 UTC');
  expect(formatZoned('2026-11-20T12:00:00Z', 'Europe/Berlin', now)).toBe('Nov 20, 13:00 GMT+1');
  expect(formatZoned('2026-07-01T12:00:00Z', 'Europe/Berlin', now)).toBe('Jul 1, 14:00 GMT+2');
  expect(formatZoned('2025-07-01T12:00:00Z', 'Asia/Kolkata', now)).toBe('Jul 1, 2025, 17:30 GMT+5:30');
  expect(formatZoned('2026-11-20T12:00:00Z', 'America/Newtown', now)).toBe('Nov 20, 12:00 UTC');
});
