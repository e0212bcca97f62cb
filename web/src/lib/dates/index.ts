// Times are shown in the website's zone, never the browser's. A bucket's `date` may be a plain date, a local time
// without offset (both already in that zone), or an instant.
const LOCALE = 'en-US';
const cache = new Map<string, Intl.DateTimeFormat>();
const HAS_OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/;
const DAY_MS = 86_400_000;

export type Bucket = 'hour' | 'day' | 'month';

export function formatIn(date: string, timezone: string, options: Intl.DateTimeFormatOptions): string {
  const instant = isInstant(date);
  return format(instant ? timezone : 'UTC', options).format(new Date(instant ? date : asUtc(date)));
}

export const formatTime = (date: string | Date, timezone: string): string =>
  format(timezone, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }).format(new Date(date));

/** "Nov 20, 14:05"; with the year when it is another one than `now`'s. For pages that name their zone. */
export function formatDateTime(date: string | Date, timezone: string, now: Date = new Date()): string {
  const at = new Date(date);
  return format(timezone, dateTimeOptions(at, timezone, now)).format(at);
}

/** "Nov 20, 14:05 GMT+1": the same with its zone, for lists and texts of pages that belong to no zone. */
export function formatZoned(date: string | Date, timezone: string, now: Date = new Date()): string {
  const at = new Date(date);
  return format(timezone, { ...dateTimeOptions(at, timezone, now), timeZoneName: 'short' }).format(at);
}

function dateTimeOptions(at: Date, timezone: string, now: Date): Intl.DateTimeFormatOptions {
  const sameYear = todayIn(timezone, at).slice(0, 4) === todayIn(timezone, now).slice(0, 4);
  return {
    ...(sameYear ? {} : { year: 'numeric' }),
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  };
}

export const formatDay = (day: string): string =>
  formatIn(day, 'UTC', { year: 'numeric', month: 'short', day: 'numeric' });

/** The local time of a bucket: "YYYY-MM-DDTHH:MM" in the website's zone. */
export function wallClock(date: string, timezone: string): string {
  if (!isInstant(date)) return date.length === 10 ? `${date}T00:00` : date.slice(0, 16).replace(' ', 'T');
  const parts = format(timezone, {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(new Date(date));
  const part = (type: string) => parts.find((item) => item.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`;
}

/** The instant at which a day starts in a zone (its first instant where midnight is skipped or repeated). */
export function startOfDay(day: string, timezone: string): string {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const candidates = Array.from({ length: 4 * 30 }, (_, quarter) => midnight + (quarter - 60) * 900_000);
  const first = candidates.find((instant) => wallClock(new Date(instant).toISOString(), timezone).slice(0, 10) >= day);
  return new Date(first ?? midnight).toISOString();
}

/** Today's date in a zone, "YYYY-MM-DD". */
export const todayIn = (timezone: string, now: Date = new Date()): string =>
  wallClock(now.toISOString(), timezone).slice(0, 10);

export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);
}

/** The same date in another year; 29 February becomes the 28th. */
export function addYears(day: string, count: number): string {
  const year = Number(day.slice(0, 4)) + count;
  const rest = day.slice(4);
  const leap = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;
  return `${String(year).padStart(4, '0')}${rest === '-02-29' && !leap ? '-02-28' : rest}`;
}

/** Days from `from` to `to`, both included. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS) + 1;
}

export function isDay(value: string | undefined): value is string {
  if (!value || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

/** "3 s", "5 min", "2 h", "4 d". */
export function ago(since: number, now: number): string {
  const seconds = Math.max(0, Math.floor((now - since) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

export function timezones(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
}

let ownZone: string | undefined;

/** Read once: each call of Intl for it is as slow as the formatting itself. */
export const browserTimezone = (): string => (ownZone ??= Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC');

function isInstant(date: string): boolean {
  return date.length > 10 && HAS_OFFSET.test(date);
}

function asUtc(date: string): string {
  return date.length === 10 ? `${date}T00:00:00Z` : `${date.replace(' ', 'T')}Z`;
}

function format(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = timeZone + JSON.stringify(options);
  let found = cache.get(key);
  if (!found) {
    found = made(timeZone, options);
    cache.set(key, found);
  }
  return found;
}

/** A zone that is younger than the browser is shown in UTC, and says so. */
function made(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(LOCALE, { timeZone, ...options });
  } catch {
    const named = options.hour ? ({ timeZoneName: 'short' } as const) : {};
    return new Intl.DateTimeFormat(LOCALE, { ...options, ...named, timeZone: 'UTC' });
  }
}
