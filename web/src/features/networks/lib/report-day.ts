import { addDays, startOfDay } from '@/lib/dates';

/** A browser's clock may be ahead of the server's, which takes no report of the future. */
const CLOCK_DIFFERENCE_MS = 300_000;

/** The last moment of a day in a zone, or a moment ago for a day that is not over. */
export function momentOf(day: string, timezone: string, now: Date): string {
  const end = Date.parse(startOfDay(addDays(day, 1), timezone)) - 1;
  return new Date(Math.min(end, now.getTime() - CLOCK_DIFFERENCE_MS)).toISOString();
}
