// The choices of the comparison select, and what a comparison can say.
import type { Figures, Overview } from '@/lib/api/types';
import { formatDay } from '@/lib/dates';
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

/** The figures to compare with; null where a percentage would mean nothing. */
export function comparable(overview: Overview | undefined): Figures | null {
  return overview?.previous && comparisonNote(overview) === null ? overview.previous : null;
}

/** Why there is no percentage; null when there is one, or no comparison. */
export function comparisonNote(overview: Overview | undefined): string | null {
  if (!overview?.previous) return null;
  if (overview.previousHasData === false) return 'No data in the comparison period';
  return overview.previousDataFrom
    ? `Comparison period has data only since ${formatDay(overview.previousDataFrom)}`
    : null;
}
