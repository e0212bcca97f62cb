export const PAGE = 24;

export const KEY = 'marketplace';

/** A command changes lists, pages and counts all over the marketplace: all of it is read again. */
export const MARKET = [[KEY]] as const;

export const pathOf = (id: string) => ({ params: { path: { id } } });

/** Data that others can change is refetched on every visit. */
export const FRESH = { staleTime: 0 } as const;
