// Ranges of days that are asked for by name, in the website's time zone.
import { addDays, todayIn } from '@/lib/dates';

export const RANGES = [
  'today',
  'yesterday',
  '7d',
  '30d',
  '90d',
  'this-month',
  'last-month',
  'this-quarter',
  'this-year',
  'last-year',
] as const;
export type RangeName = (typeof RANGES)[number];

export const RANGE_LABELS: Record<RangeName, string> = {
  today: 'Today',
  yesterday: 'Yesterday',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  'this-month': 'This month',
  'last-month': 'Last month',
  'this-quarter': 'This quarter',
  'this-year': 'This year',
  'last-year': 'Last year',
};

export interface Days {
  readonly from: string;
  readonly to: string;
}

export function daysOf(range: RangeName, timezone: string, now: Date = new Date()): Days {
  const today = todayIn(timezone, now);
  const [year, month] = [Number(today.slice(0, 4)), Number(today.slice(5, 7))];
  const back = (days: number): Days => ({ from: addDays(today, 1 - days), to: today });
  switch (range) {
    case 'today':
      return back(1);
    case 'yesterday':
      return { from: addDays(today, -1), to: addDays(today, -1) };
    case '7d':
      return back(7);
    case '30d':
      return back(30);
    case '90d':
      return back(90);
    case 'this-month':
      return { from: firstOf(year, month), to: today };
    case 'last-month':
      return { from: firstOf(year, month - 1), to: addDays(firstOf(year, month), -1) };
    case 'this-quarter':
      return { from: firstOf(year, month - ((month - 1) % 3)), to: today };
    case 'this-year':
      return { from: firstOf(year, 1), to: today };
    case 'last-year':
      return { from: firstOf(year - 1, 1), to: `${year - 1}-12-31` };
  }
}

/** The first day of a month; months before January are those of the year before. */
const firstOf = (year: number, month: number): string =>
  new Date(Date.UTC(year, month - 1, 1)).toISOString().slice(0, 10);
