// The ranges and comparisons that can be chosen: their names, their order in the picker, and how they are read.
import { isDay } from '@/lib/dates';

export const RANGE_GROUPS = [
  { label: 'Days', ranges: ['today', 'yesterday', '24h', '7d', '14d', '30d', '90d'] },
  { label: 'Weeks and months', ranges: ['this_week', 'last_week', 'this_month', 'last_month'] },
  { label: 'Quarters and years', ranges: ['this_quarter', 'last_quarter', 'this_year', 'last_year', '12m', 'all'] },
] as const;
export type NamedRange = (typeof RANGE_GROUPS)[number]['ranges'][number];
export type Range = NamedRange | 'custom';

export const RANGES: readonly Range[] = [...RANGE_GROUPS.flatMap((group) => [...group.ranges]), 'custom'];
export const COMPARISONS = ['previous', 'year', 'custom', 'none'] as const;
export type Comparison = (typeof COMPARISONS)[number];

export const RANGE_LABELS: Record<Range, string> = {
  today: 'Today',
  yesterday: 'Yesterday',
  '24h': 'Last 24h',
  '7d': 'Last 7 days',
  '14d': 'Last 14 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  this_week: 'This week',
  last_week: 'Last week',
  this_month: 'This month',
  last_month: 'Last month',
  this_quarter: 'This quarter',
  last_quarter: 'Last quarter',
  this_year: 'This year',
  last_year: 'Last year',
  '12m': 'Last 12 months',
  all: 'All time',
  custom: 'Custom Range',
};

export const COMPARISON_LABELS: Record<Comparison, string> = {
  previous: 'previous period',
  year: 'year before',
  custom: 'chosen period',
  none: 'no comparison',
};

/** Days that were chosen in the calendar, both included. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

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
