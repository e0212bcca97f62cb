// The state of the links page is its address.
import { textOf, type FlatSearch } from '@/lib/url/search';

export const SORTS = ['created', 'clicks', 'conversions', 'earnings', 'epc', 'slug'] as const;
export type Sort = (typeof SORTS)[number];
export const ARCHIVED = ['exclude', 'include', 'only'] as const;
export type Archived = (typeof ARCHIVED)[number];
export const RANGES = ['24h', '7d', '30d', '90d', 'all'] as const;
export type LinkRange = (typeof RANGES)[number];
export const RANGE_NAMES: Readonly<Record<LinkRange, string>> = {
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  all: 'All time',
};

export interface LinksFilter {
  readonly range: LinkRange;
  readonly search: string | null;
  readonly tag: string | null;
  readonly folder: string | null;
  readonly partner: string | null;
  readonly archived: Archived;
  readonly sort: Sort;
}

export interface LinksState extends LinksFilter {
  readonly website: string | null;
}

const DEFAULTS = { range: '30d', archived: 'exclude', sort: 'created' } as const;

/** Anything unknown falls back to the default. */
export function readState(search: FlatSearch): LinksState {
  const text = (name: string) => textOf(search[name]) ?? null;
  return {
    website: text('website'),
    search: text('search'),
    tag: text('tag'),
    folder: text('folder'),
    partner: text('partner'),
    range: RANGES.find((range) => range === text('range')) ?? DEFAULTS.range,
    archived: ARCHIVED.find((item) => item === text('archived')) ?? DEFAULTS.archived,
    sort: SORTS.find((sort) => sort === text('sort')) ?? DEFAULTS.sort,
  };
}

export function writeState(state: LinksState): FlatSearch {
  const result: FlatSearch = {};
  for (const [name, value] of Object.entries(state))
    if (value !== null && value !== '' && value !== (DEFAULTS as Record<string, string>)[name]) result[name] = value;
  return result;
}
