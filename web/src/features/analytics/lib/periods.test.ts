import { describe, expect, test } from 'vitest';
import type { ClickPoint } from '@/lib/api/types';
import { days } from '@/test/fixtures';
import { bucketOf, comparedDays, fileName, finished, isPartial, tickDates, trendPoints, type Period } from './periods';

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
  trendPoints(of, points, [], null, zone).map((point) => point.tick);

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

test('buckets of a range in progress are those of its points', () => {
  const months = ['2025-12-01', '2026-01-01', '2026-02-01'].map((date) => ({ date }));
  expect(bucketOf(period('this_month'), hours('2026-11-01T00:00:00Z', 9))).toBe('hour');
  expect(bucketOf(period('this_month'), days('2026-11-01', 3))).toBe('day');
  expect(bucketOf(period('12m'), months)).toBe('month');
  expect(bucketOf(period('all'), [{ date: '2026-01-31' }, ...months.slice(2)])).toBe('day');
  expect(bucketOf(period('all'), [{ date: '2026-01-31' }, { date: '2026-02-01' }, { date: '2026-03-01' }])).toBe(
    'month',
  );
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
    const points = trendPoints(period('90d'), days('2026-08-22', 90), [], null, 'UTC');
    expect(tickDates(points, 'UTC')).toEqual(['2026-09-01', '2026-10-01', '2026-11-01']);
  });
});

describe('comparison', () => {
  test('the days that hold it, of dates and of hours', () => {
    expect(comparedDays({ from: '2026-11-07', to: '2026-11-13' })).toEqual({ from: '2026-11-07', to: '2026-11-13' });
    expect(comparedDays({ from: '2026-11-18T14:00:00+01:00', to: '2026-11-19T13:00:00+01:00' })).toEqual({
      from: '2026-11-18',
      to: '2026-11-19',
    });
    expect(comparedDays(null)).toBeNull();
  });

  test.each([
    ['Atlantic/Reykjavik', '2026-11-18T13:00:00+00:00'],
    ['America/New_York', '2026-11-18T08:00:00-05:00'],
    ['Asia/Kolkata', '2026-11-18T18:30:00+05:30'],
  ])('24 hours meet the 24 hours before in %s', (zone, from) => {
    const points = hours('2026-11-19T13:00:00Z', 24);
    const before = hours('2026-11-17T00:00:00Z', 72).map((point) => ({ ...point, revenue: Date.parse(point.date) }));
    const compared = trendPoints(period('24h'), points, before, { from, to: '' }, zone);
    expect(compared[0]?.previousRevenue).toBe(Date.parse('2026-11-18T13:00:00Z'));
    expect(compared[23]?.previousRevenue).toBe(Date.parse('2026-11-19T12:00:00Z'));
  });

  test('today meets the hours of yesterday; a longer month is compared as far as the shorter one goes', () => {
    const yesterday = { from: '2026-11-19', to: '2026-11-19' };
    const today = trendPoints(
      period('today'),
      hours('2026-11-20T00:00:00Z', 9),
      hours('2026-11-19T00:00:00Z', 24),
      yesterday,
      'UTC',
    );
    expect(today.map((point) => point.previousRevenue)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    const february = { from: '2026-02-01', to: '2026-02-28' };
    const march = trendPoints(period('last_month'), days('2026-03-01', 31), days('2026-02-01', 28), february, 'UTC');
    expect(march[27]?.previousRevenue).toBe(77);
    expect(march[28]?.previousRevenue).toBeNull();
  });

  test('hours are not drawn against days', () => {
    const chosen = { from: '2026-10-01', to: '2026-10-31' };
    const points = trendPoints(
      period('today'),
      hours('2026-11-20T00:00:00Z', 9),
      days('2026-10-01', 31),
      chosen,
      'UTC',
    );
    expect(points.every((point) => point.previousRevenue === null)).toBe(true);
  });

  test('days are compared one by one', () => {
    const points = trendPoints(
      period('7d'),
      days('2026-11-14', 7),
      days('2026-11-07', 7),
      { from: '2026-11-07', to: '2026-11-13' },
      'UTC',
    );
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
