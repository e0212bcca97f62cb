// Days of the calendar, all as "YYYY-MM-DD".
import { addDays } from '@/lib/dates';

/** The first day of the month that a day is in. */
export const monthOf = (day: string): string => `${day.slice(0, 7)}-01`;

/** The same day of another month, or its last one where it is shorter. */
export function addMonths(day: string, count: number): string {
  const number = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 + count;
  const year = Math.floor(number / 12);
  const month = number - year * 12;
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month, Math.min(Number(day.slice(8, 10)), last))).toISOString().slice(0, 10);
}

/** Six weeks from Monday to Sunday that contain the month: always six, so that nothing moves when it changes. */
export function weeksOf(month: string): string[][] {
  const weekday = (new Date(`${month}T00:00:00Z`).getUTCDay() + 6) % 7;
  const start = addDays(month, -weekday);
  return Array.from({ length: 6 }, (_, week) => Array.from({ length: 7 }, (_, day) => addDays(start, week * 7 + day)));
}
