// Named ranges of days of the website's time zone. They are those of Analytics: the list of conversions takes days.
import { addDays, todayIn } from '@/lib/dates';
import { RANGE_GROUPS, type Days, type NamedRange } from '@/lib/dates/ranges';

/** Without a range the list has all time; 24 hours are no days. */
export type DayRange = Exclude<NamedRange, '24h' | 'all'>;

export const DAY_RANGE_GROUPS = RANGE_GROUPS.map(({ label, ranges }) => ({
  label,
  ranges: ranges.filter((name): name is (typeof ranges)[number] & DayRange => name !== '24h' && name !== 'all'),
}));
export const DAY_RANGES: readonly DayRange[] = DAY_RANGE_GROUPS.flatMap((group): readonly DayRange[] => group.ranges);

/** Weeks begin on Monday; `12m` is twelve calendar months, the current one included. */
export function daysOf(range: DayRange, timezone: string, now: Date = new Date()): Days {
  const today = todayIn(timezone, now);
  const [year, month] = [Number(today.slice(0, 4)), Number(today.slice(5, 7))];
  const monday = addDays(today, -((new Date(today).getUTCDay() + 6) % 7));
  const quarter = month - ((month - 1) % 3);
  const since = (from: string): Days => ({ from, to: today });
  const until = (from: string, next: string): Days => ({ from, to: addDays(next, -1) });
  switch (range) {
    case 'today':
      return since(today);
    case 'yesterday':
      return until(addDays(today, -1), today);
    case '7d':
    case '14d':
    case '30d':
    case '90d':
      return since(addDays(today, 1 - parseInt(range, 10)));
    case 'this_week':
      return since(monday);
    case 'last_week':
      return until(addDays(monday, -7), monday);
    case 'this_month':
      return since(firstOf(year, month));
    case 'last_month':
      return until(firstOf(year, month - 1), firstOf(year, month));
    case 'this_quarter':
      return since(firstOf(year, quarter));
    case 'last_quarter':
      return until(firstOf(year, quarter - 3), firstOf(year, quarter));
    case 'this_year':
      return since(firstOf(year, 1));
    case 'last_year':
      return until(firstOf(year - 1, 1), firstOf(year, 1));
    case '12m':
      return since(firstOf(year, month - 11));
  }
}

/** The first day of a month; months before January are those of the year before. */
const firstOf = (year: number, month: number): string =>
  new Date(Date.UTC(year, month - 1, 1)).toISOString().slice(0, 10);
