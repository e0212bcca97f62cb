// The state of the conversions page is its address.
import type { ConversionStatus } from '@/lib/api/types';
import { isDay } from '@/lib/dates';
import { textOf, type FlatSearch } from '@/lib/url/search';
import { DAY_RANGES, daysOf, type DayRange } from './ranges';

export const STATUSES: readonly ConversionStatus[] = ['pending', 'approved', 'rejected', 'reversed'];
export const KEY_KINDS = ['site', 'secret', 'postback', 'import'] as const;
export const KINDS = ['sale', 'lead'] as const;
export const REPORTERS = ['sale', 'lead', 'postback', 'import'] as const;
/** Sales that only undone imports had: they are left out, unless they are wanted. */
export const UNDONE = ['all', 'yes'] as const;
export const ATTRIBUTIONS = ['yes', 'no'] as const;
export const SORT_KEYS = ['date', 'amount', 'commission', 'status', 'partner'] as const;
export type SortKey = (typeof SORT_KEYS)[number];
export type Sort = SortKey | `-${SortKey}`;
export const DEFAULT_SORT: Sort = '-date';
export const SUBS = Array.from({ length: 10 }, (_, index) => `sub${index + 1}`);

/** Filters with free values, by the name that the list call gives them. */
export const TEXT_FILTERS = ['link', 'country', 'device', 'source', 'coupon', 'network', 'importId', ...SUBS] as const;

export interface Filters {
  readonly search: string | null;
  readonly status: ConversionStatus | null;
  readonly partner: string | null;
  /** Kind of the most trusted key that reported it; site: nothing but the public site key. */
  readonly keyKind: (typeof KEY_KINDS)[number] | null;
  readonly attributed: (typeof ATTRIBUTIONS)[number] | null;
  readonly kind: (typeof KINDS)[number] | null;
  readonly reportedBy: (typeof REPORTERS)[number] | null;
  readonly undone: (typeof UNDONE)[number] | null;
  /** By `TEXT_FILTERS`; a link by its id, a network by its slug. */
  readonly texts: Readonly<Record<string, string>>;
  readonly range: DayRange | null;
  readonly from: string | null;
  readonly to: string | null;
}

export interface ConversionsState extends Filters {
  readonly website: string | null;
  readonly sort: Sort;
  /** The one whose details are open. */
  readonly open: string | null;
}

const MONTH = /^(19[9]\d|20\d\d)-(0[1-9]|1[0-2])$/;

export const NO_FILTERS: Filters = {
  search: null,
  status: null,
  partner: null,
  keyKind: null,
  attributed: null,
  kind: null,
  reportedBy: null,
  undone: null,
  texts: {},
  range: null,
  from: null,
  to: null,
};

/** YYYY-MM of the statements; null: this month. */
export function monthOf(search: FlatSearch): string | null {
  const month = textOf(search['month']);
  return month && MONTH.test(month) ? month : null;
}

/** Anything unknown falls back to the default. */
export function readState(search: FlatSearch): ConversionsState {
  const text = (name: string) => textOf(search[name]);
  const one = <T extends string>(known: readonly T[], name: string): T | null =>
    known.find((item) => item === text(name)) ?? null;
  const [from, to] = [text('from'), text('to')];
  const days = isDay(from) && isDay(to) && from > to ? [to, from] : [from, to];
  const range = one(DAY_RANGES, 'range');
  return {
    website: text('website') ?? null,
    search: text('search') ?? null,
    status: one(STATUSES, 'status'),
    partner: text('partner') ?? null,
    keyKind: one(KEY_KINDS, 'keyKind'),
    attributed: one(ATTRIBUTIONS, 'attributed'),
    kind: one(KINDS, 'kind'),
    reportedBy: one(REPORTERS, 'reportedBy'),
    undone: one(UNDONE, 'undone'),
    texts: Object.fromEntries(
      TEXT_FILTERS.flatMap((name) => {
        const value = text(name);
        return value ? [[name, value]] : [];
      }),
    ),
    range,
    from: !range && isDay(days[0]) ? days[0] : null,
    to: !range && isDay(days[1]) ? days[1] : null,
    sort:
      one(
        SORT_KEYS.flatMap((key): Sort[] => [key, `-${key}`]),
        'sort',
      ) ?? DEFAULT_SORT,
    open: text('open') ?? null,
  };
}

export function writeState({ texts, ...state }: ConversionsState): FlatSearch {
  const result: FlatSearch = {};
  for (const [name, value] of Object.entries({ ...state, ...texts }))
    if (value !== null && value !== DEFAULT_SORT) result[name] = value;
  return result;
}

export const isFiltered = ({ texts, ...rest }: Filters): boolean =>
  Object.keys(texts).length > 0 ||
  (Object.keys(NO_FILTERS) as (keyof Filters)[]).some((name) => name !== 'texts' && rest[name as keyof typeof rest]);

/** The first and last day that are wanted. */
export const daysOfState = ({ range, from, to }: Pick<Filters, 'range' | 'from' | 'to'>, timezone: string) =>
  range ? daysOf(range, timezone) : { from, to };

/** "2026-11" → "2026-10" for -1. */
export function addMonths(month: string, count: number): string {
  const index = Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1 + count;
  return `${Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`;
}
