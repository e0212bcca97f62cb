// The choices of the comparison select, and what a comparison can say.
import type { Figures, Overview } from '@/lib/api/types';
import { daysBetween, formatDateTime, formatDay } from '@/lib/dates';
import type { Compared, Comparison } from './ranges';

export const COMPARE_OPTIONS = [
  { id: 'previous', label: 'vs previous period', compare: 'previous', matchWeekdays: false },
  { id: 'previous-weekdays', label: 'vs previous, same weekdays', compare: 'previous', matchWeekdays: true },
  { id: 'year', label: 'vs year before', compare: 'year', matchWeekdays: false },
  { id: 'year-weekdays', label: 'vs year before, same weekdays', compare: 'year', matchWeekdays: true },
  { id: 'none', label: 'No comparison', compare: 'none', matchWeekdays: false },
] as const satisfies readonly { id: string; label: string; compare: Comparison; matchWeekdays: boolean }[];

/** The option that is chosen; `custom` for chosen days. */
export function compareOption({ compare, matchWeekdays }: Compared): string {
  const found = COMPARE_OPTIONS.find(
    (option) => option.compare === compare && (compare === 'none' || option.matchWeekdays === matchWeekdays),
  );
  return found?.id ?? 'custom';
}

/** The state with that option; null for an option that needs days first. */
export function withComparison<T extends Compared>(state: T, id: string): T | null {
  const found = COMPARE_OPTIONS.find((option) => option.id === id);
  if (!found) return id === 'custom' ? state : null;
  return { ...state, compare: found.compare, matchWeekdays: found.matchWeekdays, compareFrom: null, compareTo: null };
}

/** The next of the options, for the shortcut. */
export function nextComparison<T extends Compared>(state: T): T {
  const simple = COMPARE_OPTIONS.filter((option) => !option.matchWeekdays);
  const index = simple.findIndex((option) => option.compare === state.compare);
  return withComparison(state, simple[(index + 1) % simple.length]?.id ?? 'previous') ?? state;
}

/**
 * The figures to compare with; null where a percentage would mean nothing. Those of a period of another length are
 * scaled to the days of the range, so that a percentage compares averages per day.
 */
export function comparable(overview: Overview | undefined, compare: Comparison): Figures | null {
  if (!overview?.previous || comparisonNote(overview) !== null) return null;
  return isPerDay(overview, compare)
    ? scaled(overview.previous, daysScale(overview.range, overview.previousRange))
    : overview.previous;
}

/** Whether the compared period is chosen and has another length, so that averages per day are compared. */
export const isPerDay = (overview: Overview | undefined, compare: Comparison): boolean =>
  compare === 'custom' && daysScale(overview?.range, overview?.previousRange) !== 1;

/** Why percentages compare averages; null when they compare sums. */
export const lengthNote = (overview: Overview | undefined, compare: Comparison): string | null =>
  isPerDay(overview, compare) ? 'The periods differ in length: averages per day are compared.' : null;

/** Whether rows can be compared: sums of periods of another length say nothing. */
export const hasSameLength = (range: Span | undefined, { compare, compareFrom, compareTo }: Compared): boolean =>
  compare !== 'custom' ||
  (compareFrom !== null && compareTo !== null && daysScale(range, { from: compareFrom, to: compareTo }) === 1);

interface Span {
  readonly from: string;
  readonly to: string;
}

/** Days of the range for each day of the compared one. */
function daysScale(range: Span | null | undefined, compared: Span | null | undefined): number {
  if (!range || !compared) return 1;
  return lengthOf(range) / lengthOf(compared);
}

const lengthOf = ({ from, to }: Span): number => daysBetween(from.slice(0, 10), to.slice(0, 10));

/** Counts and sums change with the length of a period; rates and averages do not. */
function scaled(figures: Figures, scale: number): Figures {
  const by = (value: number): number => value * scale;
  const { clicks, conversions, revenue } = figures;
  return {
    ...figures,
    clicks: { total: by(clicks.total), unique: by(clicks.unique) },
    pageviews: by(figures.pageviews),
    visitors: by(figures.visitors),
    conversions: {
      ...conversions,
      total: by(conversions.total),
      pending: by(conversions.pending),
      approved: by(conversions.approved),
      rejected: by(conversions.rejected),
      reversed: by(conversions.reversed),
    },
    revenue: {
      ...revenue,
      total: by(revenue.total),
      pending: by(revenue.pending),
      approved: by(revenue.approved),
      reversed: by(revenue.reversed),
    },
  };
}

/** What changes compare while the current day is not over; undefined: whole periods. */
export function sameHours(overview: Overview | undefined): string | undefined {
  const { until, timezone } = overview?.previousRange ?? {};
  if (!until || !timezone) return undefined;
  return `Changes compare the same hours: the earlier period until ${formatDateTime(until, timezone)}.`;
}

/** Why there is no percentage; null when there is one, or no comparison. */
export function comparisonNote(overview: Overview | undefined): string | null {
  if (!overview?.previous) return null;
  if (overview.previousHasData === false) return 'No data in the comparison period';
  return overview.previousDataFrom
    ? `Comparison period has data only since ${formatDay(overview.previousDataFrom)}`
    : null;
}
