// The state of the listing page is its address.
import { textOf, type FlatSearch } from '@/lib/url/search';
import { NICHES, parseDollars, SORTS, type Sort } from './format';
import type { Criteria, Listing, Niche } from './types';

export interface ListingSearch {
  readonly search: string;
  /** null: all. */
  readonly niche: Niche | null;
  readonly sort: Sort;
  readonly minPrice: number | null;
  readonly maxPrice: number | null;
  readonly verified: boolean;
}

const MAX_SEARCH = 200;

/** Anything unknown falls back to the default. */
export function readState(search: FlatSearch): ListingSearch {
  const price = (name: string) => parseDollars(textOf(search[name]) ?? '');
  return {
    search: (textOf(search['search']) ?? '').slice(0, MAX_SEARCH),
    niche: NICHES.find((niche) => niche === textOf(search['niche'])) ?? null,
    sort: SORTS.find((sort) => sort === textOf(search['sort'])) ?? 'recent',
    minPrice: price('minPrice'),
    maxPrice: price('maxPrice'),
    verified: textOf(search['verified']) === '1',
  };
}

export function writeState(state: ListingSearch): FlatSearch {
  return {
    ...(state.search ? { search: state.search } : {}),
    ...(state.niche ? { niche: state.niche } : {}),
    ...(state.sort !== 'recent' ? { sort: state.sort } : {}),
    ...(state.minPrice !== null ? { minPrice: String(state.minPrice) } : {}),
    ...(state.maxPrice !== null ? { maxPrice: String(state.maxPrice) } : {}),
    ...(state.verified ? { verified: '1' } : {}),
  };
}

export const criteriaOf = ({ search, niche, minPrice, maxPrice, verified }: ListingSearch): Criteria => ({
  search: search.trim(),
  niche,
  minPrice,
  maxPrice,
  verified,
});

export const isNarrowed = (state: ListingSearch): boolean =>
  state.search.trim() !== '' ||
  state.niche !== null ||
  state.minPrice !== null ||
  state.maxPrice !== null ||
  state.verified;

/** While the answer for another niche is on its way, the rows of the one before are not shown as if they were of it. */
export const ofNiche = (rows: readonly Listing[], niche: Niche | null): readonly Listing[] =>
  niche ? rows.filter((row) => row.niche === niche) : rows;
