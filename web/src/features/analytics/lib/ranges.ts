// The ranges and comparisons that can be chosen: their names, their order in the picker, and how they are read.
import { isDay } from '@/lib/dates';
import { RANGE_GROUPS, RANGE_LABELS as NAMES, type Days, type NamedRange } from '@/lib/dates/ranges';

export { RANGE_GROUPS, type Days };

export type Range = NamedRange | 'custom';

export const RANGES: readonly Range[] = [...RANGE_GROUPS.flatMap((group) => [...group.ranges]), 'custom'];
export const COMPARISONS = ['previous', 'year', 'custom', 'none'] as const;
export type Comparison = (typeof COMPARISONS)[number];

export const RANGE_LABELS: Record<Range, string> = { ...NAMES, custom: 'Custom Range' };

export const COMPARISON_LABELS: Record<Comparison, string> = {
  previous: 'previous period',
  year: 'year before',
  custom: 'chosen period',
  none: 'no comparison',
};

/** The comparison of a page. */
export interface Compared {
  readonly compare: Comparison;
  /** With `custom` only. */
  readonly compareFrom: string | null;
  readonly compareTo: string | null;
  /** Move the compared days so that weekdays line up. */
  readonly matchWeekdays: boolean;
}

/** Two days in the right order; null unless both are days. */
export function daysOf(one: string | undefined, other: string | undefined): Days | null {
  if (!isDay(one) || !isDay(other)) return null;
  return one <= other ? { from: one, to: other } : { from: other, to: one };
}

/** What the API takes. */
export function comparisonParams(compared: Comparison | Compared) {
  if (typeof compared === 'string') return { compare: compared };
  const { compare, compareFrom, compareTo, matchWeekdays } = compared;
  return {
    compare,
    ...(compare === 'custom' && compareFrom && compareTo ? { compareFrom, compareTo } : {}),
    ...(matchWeekdays && compare !== 'none' ? { matchWeekdays } : {}),
  };
}
