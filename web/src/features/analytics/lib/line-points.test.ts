import { expect, test } from 'vitest';
import { days } from '@/test/fixtures';
import { bucketDays, eventsOf } from './events';
import { linePoints, valueAt } from './line-points';

const period = { range: '7d', from: null, to: null } as const;

test('every metric of the chart comes from the same buckets', () => {
  const [point] = days('2026-11-14', 1);
  if (!point) throw new Error('no day');
  expect(valueAt('clicks', point)).toBe(100);
  expect(valueAt('visitors', point)).toBe(200);
  expect(valueAt('epc', point)).toBe(0.5);
  expect(valueAt('conversion_rate', point)).toBe(4);
  expect(valueAt('epc', { ...point, clicks: 0 })).toBeNull();
});

test('points are paired with those of the earlier period', () => {
  const before = { from: '2026-11-11', to: '2026-11-13' };
  const rows = linePoints('clicks', period, days('2026-11-14', 3), days('2026-11-11', 3), before, 'UTC');
  expect(rows.map((row) => [row.value, row.previous])).toEqual([
    [100, 100],
    [101, 101],
    [102, 102],
  ]);
  expect(rows[0]).toMatchObject({ key: '2026-11-14', tick: 'Sat', previousLabel: 'Wed, Nov 11, 2026' });
});

test('a point leads to the events of its days', () => {
  expect(bucketDays(period, '2026-11-14')).toEqual({ range: 'custom', from: '2026-11-14', to: '2026-11-14' });
  expect(bucketDays({ range: '24h', from: null, to: null }, '2026-11-14T10:00')).toMatchObject({ to: '2026-11-14' });
  const months = { range: 'custom', from: '2026-01-10', to: '2026-11-20' } as const;
  expect(bucketDays(months, '2026-01-01')).toMatchObject({ from: '2026-01-10', to: '2026-01-31' });
  expect(bucketDays(months, '2026-11-01')).toMatchObject({ from: '2026-11-01', to: '2026-11-20' });
});

test('money leads to conversions, visitors to everything', () => {
  expect(eventsOf('revenue')).toBe('conversions');
  expect(eventsOf('clicks')).toBe('clicks');
  expect(eventsOf('visitors')).toBe('everything');
});
