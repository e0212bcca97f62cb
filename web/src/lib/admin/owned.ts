// Lists of what members have, for admins: which of it, in which order.
export const OWNED_SORTS = ['created', 'name'] as const;
export type OwnedSort = (typeof OWNED_SORTS)[number];

export interface OwnedFilter {
  readonly search: string;
  readonly sort: OwnedSort;
}
