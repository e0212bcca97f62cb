import { expect, test } from 'vitest';
import { figures, overview } from '@/test/fixtures';
import { comparable, hasSameLength, isPerDay, lengthNote } from './comparison';

const range = (from: string, to: string) => ({ from, to, timezone: 'UTC', bucket: 'day' as const });
const level = () => ({
  ...overview(),
  range: range('2026-09-24', '2026-11-20'), // 58 days
  previousRange: range('2026-08-26', '2026-09-23'), // 29 days
  previousHasData: true,
  previousDataFrom: null,
  previous: figures({ clicks: { total: 290, unique: 58 }, conversion_rate: 2 }),
});

test('a chosen period of another length is compared by its averages per day', () => {
  const compared = comparable(level(), 'custom');
  expect([compared?.clicks.total, compared?.clicks.unique, compared?.conversion_rate]).toEqual([580, 116, 2]);
  expect([isPerDay(level(), 'custom'), isPerDay(level(), 'year')]).toEqual([true, false]);
  expect(lengthNote(level(), 'custom')).toMatch(/averages per day/);
  expect(lengthNote(level(), 'previous')).toBeNull();
  expect(comparable(level(), 'previous')?.clicks.total).toBe(290);
});

test('rows are compared only with a period of the same length', () => {
  const compared = {
    compare: 'custom',
    compareFrom: '2026-08-26',
    compareTo: '2026-09-23',
    matchWeekdays: false,
  } as const;
  expect(hasSameLength(level().range, compared)).toBe(false);
  expect(hasSameLength(range('2026-09-24', '2026-10-22'), compared)).toBe(true);
  expect(hasSameLength(level().range, { ...compared, compare: 'previous' })).toBe(true);
});
