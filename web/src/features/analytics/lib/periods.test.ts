import { describe, expect, test } from 'vitest';
import type { ClickPoint } from '@/lib/api/types';
import { days } from '@/test/fixtures';
import { bucketOf, comparedRange, fileName, finished, isPartial, tickDates, trendPoints, type Period } from './periods';

const period = (range: Period['range'], from: string | null = null, to: string | null = null): Period => ({
  range,
  from,
  to,
});
const hours = (first: string, count: number): ClickPoint[] =>
  Array.from({ length: count }, (_, index) => ({
    date: new Date(Date.parse(first) + index * 3_600_000).toISOString(),
    clicks: 1,
    unique: 1,
    visitors: 1,
    pageviews: 1,
    conversions: 0,
    revenue: index,
  }));
const ticks = (of: Period, points: ClickPoint[], zone: string) =>
  trendPoints(of, points, [], 'none', zone).map((point) => point.tick);

test.each([
  [period('24h'), 'hour'],
  [period('7d'), 'day'],
  [period('90d'), 'day'],
  [period('custom', '2026-01-01', '2026-01-02'), 'hour'],
  [period('custom', '2026-01-01', '2026-01-03'), 'day'],
  [period('custom', '2026-01-01', '2026-06-29'), 'day'],
  [period('custom', '2026-01-01', '2026-06-30'), 'month'],
])('buckets of %j are %s', (of, bucket) => {
  expect(bucketOf(of)).toBe(bucket);
});

describe('spec §2, revenue trends, what stands under the axis:', () => {
  test('hour and minute for 24h, in the website’s zone', () => {
    const points = hours('2026-11-19T13:00:00Z', 24);
    expect(ticks(period('24h'), points, 'Atlantic/Reykjavik').slice(0, 2)).toEqual(['13:00', '14:00']);
    expect(ticks(period('24h'), points, 'America/New_York').slice(0, 2)).toEqual(['08:00', '09:00']);
    expect(ticks(period('24h'), points, 'Asia/Kolkata').slice(0, 2)).toEqual(['18:30', '19:30']);
  });

  test('the hour that daylight saving repeats or skips', () => {
    const autumn = hours('2026-10-24T22:00:00Z', 6);
    expect(ticks(period('24h'), autumn, 'Europe/Berlin')).toEqual([
      '00:00',
      '01:00',
      '02:00',
      '02:00',
      '03:00',
      '04:00',
    ]);
    const spring = hours('2026-03-28T23:00:00Z', 4);
    expect(ticks(period('24h'), spring, 'Europe/Berlin')).toEqual(['00:00', '01:00', '03:00', '04:00']);
  });

  test.each(['Atlantic/Reykjavik', 'America/Los_Angeles', 'Pacific/Auckland'])(
    'days are the same days in %s',
    (zone) => {
      expect(ticks(period('7d'), days('2026-11-14', 7), zone)).toEqual([
        'Sat',
        'Sun',
        'Mon',
        'Tue',
        'Wed',
        'Thu',
        'Fri',
      ]);
      expect(ticks(period('30d'), days('2026-10-30', 3), zone)).toEqual(['Oct 30', 'Oct 31', 'Nov 1']);
      expect(ticks(period('90d'), days('2026-08-31', 2), zone)).toEqual(['Aug', 'Sep']);
    },
  );

  test('90 days name each month once, on its first day', () => {
    const points = trendPoints(period('90d'), days('2026-08-22', 90), [], 'none', 'UTC');
    expect(tickDates(points, 'UTC')).toEqual(['2026-09-01', '2026-10-01', '2026-11-01']);
  });
});

describe('comparison', () => {
  test('the days just before, as many of them', () => {
    expect(comparedRange(period('7d'), days('2026-11-14', 7), 'previous', 'UTC')).toEqual({
      from: '2026-11-07',
      to: '2026-11-13',
    });
    expect(
      comparedRange(period('custom', '2026-03-01', '2026-03-31'), days('2026-03-01', 31), 'previous', 'UTC'),
    ).toEqual({ from: '2026-01-29', to: '2026-02-28' });
  });

  test('the same days a year before', () => {
    expect(comparedRange(period('7d'), days('2026-11-14', 7), 'year', 'UTC')).toEqual({
      from: '2025-11-14',
      to: '2025-11-20',
    });
  });

  test('none, and nothing to compare', () => {
    expect(comparedRange(period('7d'), days('2026-11-14', 7), 'none', 'UTC')).toBeNull();
    expect(comparedRange(period('7d'), [], 'previous', 'UTC')).toBeNull();
  });

  test.each(['Atlantic/Reykjavik', 'America/New_York', 'Asia/Kolkata'])(
    '24 hours meet the 24 hours before in %s',
    (zone) => {
      const points = hours('2026-11-19T13:00:00Z', 24);
      const range = comparedRange(period('24h'), points, 'previous', zone);
      expect(range && Date.parse(range.to) - Date.parse(range.from)).toBe(86_400_000);
      const before = hours('2026-11-17T00:00:00Z', 72).map((point) => ({ ...point, revenue: Date.parse(point.date) }));
      const compared = trendPoints(period('24h'), points, before, 'previous', zone);
      expect(compared[0]?.previousRevenue).toBe(Date.parse('2026-11-18T13:00:00Z'));
      expect(compared[23]?.previousRevenue).toBe(Date.parse('2026-11-19T12:00:00Z'));
    },
  );

  test('days are compared one by one', () => {
    const points = trendPoints(period('7d'), days('2026-11-14', 7), days('2026-11-07', 7), 'previous', 'UTC');
    expect(points[0]).toMatchObject({ previousRevenue: 50, previousLabel: 'Sat, Nov 7, 2026' });
  });
});

describe('the bucket that is still filling', () => {
  const now = new Date('2026-11-20T23:30:00Z');
  test('is today in the website’s zone', () => {
    expect(isPartial(period('7d'), days('2026-11-14', 7), 'UTC', now)).toBe(true);
    expect(isPartial(period('7d'), days('2026-11-14', 7), 'Europe/Berlin', now)).toBe(false);
    expect(isPartial(period('7d'), days('2026-11-15', 7), 'Europe/Berlin', now)).toBe(true);
  });
  test('is this hour', () => {
    expect(isPartial(period('24h'), hours('2026-11-20T22:00:00Z', 2), 'UTC', now)).toBe(true);
    expect(isPartial(period('24h'), hours('2026-11-20T21:00:00Z', 2), 'UTC', now)).toBe(false);
  });
  test('is left out of what is finished', () => {
    expect(finished(period('7d'), days('2026-11-14', 7), 'UTC', now)).toHaveLength(6);
    expect(finished(period('7d'), days('2026-11-01', 7), 'UTC', now)).toHaveLength(7);
  });
});

test('a file says which website and range it holds', () => {
  expect(fileName('shop.is', { range: '7d', from: null, to: null }, 'countries')).toBe('althing-shop.is-7d-countries');
  expect(fileName('shop.is', { range: 'custom', from: '2026-11-01', to: '2026-11-03' }, 'partners')).toBe(
    'althing-shop.is-2026-11-01-to-2026-11-03-partners',
  );
});
