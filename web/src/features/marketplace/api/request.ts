const PAGE = 24;

export const at = (cursor: string, limit = PAGE) => ({ limit, ...(cursor ? { cursor } : {}) });

export const KEY = 'marketplace';

/** Data that others can change is refetched on every visit. */
export const FRESH = { staleTime: 0 } as const;
