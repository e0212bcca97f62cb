// How long ago something was, in the words of specification §9: "just now" under 60 s, minutes under 1 h, hours under
// 1 day, days under 7 days, otherwise a date.
import { formatIn, todayIn } from './index';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function relativeTime(at: string | Date, now: number, timezone: string): string {
  const then = new Date(at);
  const passed = now - then.getTime();
  if (passed < MINUTE) return 'just now';
  if (passed < HOUR) return counted(passed / MINUTE, 'minute');
  if (passed < DAY) return counted(passed / HOUR, 'hour');
  if (passed < 7 * DAY) return counted(passed / DAY, 'day');
  const year =
    todayIn(timezone, then).slice(0, 4) === todayIn(timezone, new Date(now)).slice(0, 4)
      ? {}
      : ({ year: 'numeric' } as const);
  return formatIn(then.toISOString(), timezone, { ...year, month: 'short', day: 'numeric' });
}

function counted(count: number, unit: string): string {
  const whole = Math.floor(count);
  return `${whole} ${unit}${whole === 1 ? '' : 's'} ago`;
}
