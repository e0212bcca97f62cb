// The state of the conversions page is its address.
import type { ConversionStatus } from '@/lib/api/types';
import { isDay } from '@/lib/dates';
import { textOf, type FlatSearch } from '@/lib/search';

export const STATUSES: readonly ConversionStatus[] = ['pending', 'approved', 'rejected', 'reversed'];
export const KEY_KINDS = ['site', 'secret', 'postback'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];
export const VIEWS = ['list', 'statements'] as const;
export type View = (typeof VIEWS)[number];

export interface ConversionsState {
  readonly website: string | null;
  readonly view: View;
  readonly status: ConversionStatus | null;
  readonly partner: string | null;
  /** Kind of the most trusted key that reported it; site: nothing but the public site key. */
  readonly keyKind: KeyKind | null;
  readonly from: string | null;
  readonly to: string | null;
  /** YYYY-MM of the statements; null: this month. */
  readonly month: string | null;
  /** The one whose details are open. */
  readonly open: string | null;
}

const MONTH = /^(19[9]\d|20\d\d)-(0[1-9]|1[0-2])$/;

/** Anything unknown falls back to the default. */
export function readState(search: FlatSearch): ConversionsState {
  const [from, to, month] = [textOf(search['from']), textOf(search['to']), textOf(search['month'])];
  const days = isDay(from) && isDay(to) && from > to ? [to, from] : [from, to];
  return {
    website: textOf(search['website']) ?? null,
    view: VIEWS.find((view) => view === textOf(search['view'])) ?? 'list',
    status: STATUSES.find((status) => status === textOf(search['status'])) ?? null,
    partner: textOf(search['partner']) ?? null,
    keyKind: KEY_KINDS.find((kind) => kind === textOf(search['keyKind'])) ?? null,
    from: isDay(days[0]) ? days[0] : null,
    to: isDay(days[1]) ? days[1] : null,
    month: month && MONTH.test(month) ? month : null,
    open: textOf(search['open']) ?? null,
  };
}

export function writeState(state: ConversionsState): FlatSearch {
  const result: FlatSearch = {};
  for (const [name, value] of Object.entries(state)) if (value !== null && value !== 'list') result[name] = value;
  return result;
}

/** "2026-11" → "2026-10" for -1. */
export function addMonths(month: string, count: number): string {
  const index = Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1 + count;
  return `${Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`;
}
