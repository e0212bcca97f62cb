// When reports are sent, and why they are not, in words.
import type { EmailReport, Schedule } from '../api/reports';

export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
export const DEFAULT_SCHEDULE: Schedule = { every: 'weekly', weekday: 0, day: 1, hour: 8 };
export const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** Every month has them. */
export const DAYS = Array.from({ length: 28 }, (_, day) => day + 1);

export const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** "Every Monday at 08:00", "Day 1 of each month at 08:00". */
export const scheduleText = ({ every, weekday, day, hour }: Schedule): string =>
  `${every === 'weekly' ? `Every ${WEEKDAYS[weekday] ?? ''}` : `Day ${String(day)} of each month`} at ${hourText(hour)}`;

/** What the report covers. */
export const periodText = ({ every }: Pick<Schedule, 'every'>): string =>
  every === 'weekly' ? 'Covers the seven days before it is sent.' : 'Covers the last whole month.';

type Pause = NonNullable<EmailReport['paused']>;

const PAUSES: Readonly<Record<Pause, string>> = {
  paused: 'You paused this report.',
  unsubscribed: 'You unsubscribed with the link in the email.',
  account: 'Your account was disabled.',
  website: 'You no longer have access to this website.',
  view: 'The view was deleted, or is no longer shared with you.',
  query: 'The query was deleted, or you can no longer run SQL.',
};

export const pauseText = (reason: Pause): string => PAUSES[reason];
