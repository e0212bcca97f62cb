// The state of the analytics page is its address: read and write are exact opposites.
import { textOf, textsOf, type FlatSearch } from '@/lib/url/search';
import type { ConversionStatus } from '@/lib/api/types';
import { CHART_METRICS, type ChartMetric } from './metrics';
import { COMPARISONS, RANGES, daysOf, type Compared, type Range } from './ranges';

export { COMPARISONS, RANGES, type Comparison, type Range } from './ranges';

export const CHART_RANGES = ['24h', '7d', '30d', '90d'] as const;
export const BOTS = ['exclude', 'include', 'only'] as const;
export const STATUSES = ['pending', 'approved', 'rejected', 'reversed'] as const;
export const SUBS = ['sub1', 'sub2', 'sub3', 'sub4', 'sub5', 'sub6', 'sub7', 'sub8', 'sub9', 'sub10'] as const;
export const DIMENSIONS = [
  'page',
  'entry_page',
  'exit_page',
  'hostname',
  'channel',
  'source',
  'referrer',
  'utm_campaign',
  'utm_source',
  'utm_medium',
  'utm_content',
  'utm_term',
  'country',
  'region',
  'city',
  'device',
  'browser',
  'os',
  'language',
  'partner',
  'link',
  'variant',
  'placement',
  'coupon',
  'event',
  'weekday_hour',
  'reason',
  ...SUBS,
] as const;
export const OPERATORS = ['is', 'is_not', 'contains', 'not_contains', 'matches'] as const;

export type ChartRange = (typeof CHART_RANGES)[number];
export type Bots = (typeof BOTS)[number];
export type Dimension = (typeof DIMENSIONS)[number];
export type Operator = (typeof OPERATORS)[number];

export interface Filter {
  readonly dimension: Dimension;
  readonly operator: Operator;
  /** As the API names them (`values.ts`). */
  readonly values: readonly string[];
}

export interface AnalyticsState extends Compared {
  readonly website: string | null;
  readonly range: Range;
  readonly from: string | null;
  readonly to: string | null;
  /** The chart's own range; null follows the page. */
  readonly chart: ChartRange | null;
  readonly bots: Bots;
  readonly status: ConversionStatus | null;
  readonly filters: readonly Filter[];
  /** What the main chart shows. */
  readonly metric: ChartMetric;
  /** The dimensions of the open table of all rows; null while it is closed. */
  readonly details: Details | null;
  /** The saved view or segment that was applied, whatever was changed since. */
  readonly view: string | null;
}

/** One dimension, or two at once. */
export type Details = readonly [Dimension] | readonly [Dimension, Dimension];

export const DEFAULT_STATE: AnalyticsState = {
  website: null,
  range: '7d',
  from: null,
  to: null,
  chart: null,
  compare: 'previous',
  compareFrom: null,
  compareTo: null,
  matchWeekdays: false,
  bots: 'exclude',
  status: null,
  filters: [],
  metric: 'clicks',
  details: null,
  view: null,
};

/** Unknown values fall back to the default, so that old or hand-written URLs still work; `rangeFault` says so. */
export function readState(search: FlatSearch): AnalyticsState {
  const wanted = oneOf(RANGES, search['range']) ?? DEFAULT_STATE.range;
  const days = wanted === 'custom' ? daysOf(textOf(search['from']), textOf(search['to'])) : null;
  return {
    website: textOf(search['website']) ?? null,
    range: wanted === 'custom' && !days ? DEFAULT_STATE.range : wanted,
    from: days?.from ?? null,
    to: days?.to ?? null,
    chart: oneOf(CHART_RANGES, search['chart']) ?? null,
    ...readComparison(search),
    bots: oneOf(BOTS, search['bots']) ?? DEFAULT_STATE.bots,
    status: oneOf(STATUSES, search['status']) ?? null,
    filters: readFilters(textsOf(search['f'])),
    metric: oneOf(CHART_METRICS, search['metric']) ?? DEFAULT_STATE.metric,
    details: readDetails(textOf(search['details'])),
    view: textOf(search['view']) ?? null,
  };
}

/** Why an address does not give the range (comparison) that it names; null when it does. */
export function rangeFault(search: FlatSearch): string | null {
  const range = textOf(search['range']);
  if (range !== undefined && !oneOf(RANGES, range)) return `There is no range “${range.slice(0, 40)}”.`;
  if (range === 'custom' && !daysOf(textOf(search['from']), textOf(search['to'])))
    return 'The custom range of this address has no valid dates.';
  const compare = textOf(search['compare']);
  if (compare !== undefined && !oneOf(COMPARISONS, compare)) return `There is no comparison “${compare.slice(0, 40)}”.`;
  if (compare === 'custom' && !daysOf(textOf(search['compareFrom']), textOf(search['compareTo'])))
    return 'The comparison of this address has no valid dates.';
  return null;
}

/** Defaults are left out, so that addresses stay short. */
export function writeState(state: AnalyticsState): FlatSearch {
  const result: FlatSearch = {};
  if (state.website) result['website'] = state.website;
  if (state.range !== DEFAULT_STATE.range) result['range'] = state.range;
  if (state.range === 'custom' && state.from && state.to) {
    result['from'] = state.from;
    result['to'] = state.to;
  }
  if (state.chart) result['chart'] = state.chart;
  if (state.compare !== DEFAULT_STATE.compare) result['compare'] = state.compare;
  if (state.compare === 'custom' && state.compareFrom && state.compareTo) {
    result['compareFrom'] = state.compareFrom;
    result['compareTo'] = state.compareTo;
  }
  if (state.matchWeekdays) result['weekdays'] = 'match';
  if (state.bots !== DEFAULT_STATE.bots) result['bots'] = state.bots;
  if (state.status) result['status'] = state.status;
  if (state.filters.length > 0) result['f'] = state.filters.map(writeFilter);
  if (state.metric !== DEFAULT_STATE.metric) result['metric'] = state.metric;
  if (state.details) result['details'] = state.details.join(',');
  if (state.view) result['view'] = state.view;
  return result;
}

/** Ids and fixed lists can only be chosen; texts can be searched. */
export const operatorsOf = (dimension: Dimension): readonly Operator[] =>
  CHOSEN.includes(dimension) ? ['is', 'is_not'] : OPERATORS;

const CHOSEN: readonly Dimension[] = ['partner', 'link', 'country', 'reason', 'weekday_hour'];

/** Replaces the filter of that dimension: the API takes one per dimension. */
export function withFilter(state: AnalyticsState, filter: Filter): AnalyticsState {
  return { ...state, filters: [...state.filters.filter((item) => item.dimension !== filter.dimension), filter] };
}

export function withoutFilter(state: AnalyticsState, dimension: Dimension): AnalyticsState {
  return { ...state, filters: state.filters.filter((item) => item.dimension !== dimension) };
}

/** A second click on the same bar removes its filter. */
export function toggleFilter(state: AnalyticsState, dimension: Dimension, value: string): AnalyticsState {
  const present = state.filters.find((item) => item.dimension === dimension);
  const same = present?.operator === 'is' && present.values.length === 1 && present.values[0] === value;
  return same ? withoutFilter(state, dimension) : withFilter(state, { dimension, operator: 'is', values: [value] });
}

/** Shows only traffic excluded for that reason; selected again, the default. */
export function onlyReason(state: AnalyticsState, reason: string): AnalyticsState {
  const next = toggleFilter(state, 'reason', reason);
  return { ...next, bots: next.filters.some((item) => item.dimension === 'reason') ? 'only' : 'exclude' };
}

function readComparison(search: FlatSearch): Compared {
  const wanted = oneOf(COMPARISONS, search['compare']) ?? DEFAULT_STATE.compare;
  const days = wanted === 'custom' ? daysOf(textOf(search['compareFrom']), textOf(search['compareTo'])) : null;
  return {
    compare: wanted === 'custom' && !days ? DEFAULT_STATE.compare : wanted,
    compareFrom: days?.from ?? null,
    compareTo: days?.to ?? null,
    matchWeekdays: textOf(search['weekdays']) === 'match',
  };
}

function writeFilter(filter: Filter): string {
  return [
    filter.operator === 'is_not' ? 'not' : filter.operator,
    filter.dimension,
    ...filter.values.map(encodeURIComponent),
  ].join(',');
}

function readFilters(texts: readonly string[]): readonly Filter[] {
  const found = new Map<Dimension, Filter>();
  for (const text of texts) {
    const [first, name, ...rest] = text.split(',');
    const operator = first === 'not' ? 'is_not' : oneOf(OPERATORS, first);
    const dimension = oneOf(DIMENSIONS, name);
    const values = rest.map(decode).filter((value) => value !== '');
    if (dimension && operator && values.length > 0) found.set(dimension, { dimension, operator, values });
  }
  return [...found.values()];
}

function readDetails(text: string | undefined): Details | null {
  const [first, second] = (text?.split(',') ?? []).map((name) => oneOf(DIMENSIONS, name));
  if (!first) return null;
  return second && second !== first ? [first, second] : [first];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function oneOf<T extends string>(values: readonly T[], value: unknown): T | undefined {
  const text = textOf(value);
  return values.find((item) => item === text);
}
