// The state of the forum's pages is their address.
import { textOf, type FlatSearch } from '@/lib/url/search';

export interface ForumState {
  /** Slug of the category; null: all. */
  readonly category: string | null;
  /** The search text; null: the list of threads. */
  readonly q: string | null;
  readonly sort: Sort;
  readonly filter: Filter;
}

export const SORTS = ['latest', 'newest', 'replies', 'views'] as const;
export type Sort = (typeof SORTS)[number];
export const FILTERS = ['all', 'unread', 'following', 'mine'] as const;
export type Filter = (typeof FILTERS)[number];

const MAX_SEARCH = 200;

/** Anything unknown falls back to the default. */
export function readForum(search: FlatSearch): ForumState {
  return {
    category: textOf(search['category']) ?? null,
    q: textOf(search['q'])?.slice(0, MAX_SEARCH) ?? null,
    sort: SORTS.find((sort) => sort === textOf(search['sort'])) ?? 'latest',
    filter: FILTERS.find((filter) => filter === textOf(search['filter'])) ?? 'all',
  };
}

export const writeForum = ({ category, q, sort, filter }: ForumState): FlatSearch =>
  written({ category, q, sort: sort === 'latest' ? null : sort, filter: filter === 'all' ? null : filter });

/** Reading position in a thread: its start, around a post, or a page after or before another. */
export interface Place {
  readonly post: string | null;
  readonly cursor: string | null;
}

export const readPlace = (search: FlatSearch): Place => ({
  post: textOf(search['post']) ?? null,
  cursor: textOf(search['cursor']) ?? null,
});

export function written(state: Readonly<Record<string, string | null>>): FlatSearch {
  return Object.fromEntries(Object.entries(state).filter((entry): entry is [string, string] => entry[1] !== null));
}
