import { infiniteQueryOptions, keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import { criteriaOf, type ListingSearch } from './search';
import type { ListingStatus, OfferInFull } from './types';

const PAGE = 24;
const at = (cursor: string, limit = PAGE) => ({ limit, ...(cursor ? { cursor } : {}) });
/** How long a list that was left is kept: who looks at a listing for a while comes back to its place. */
const LEFT_MS = 1_800_000;
const KEY = 'marketplace';
/** What others may change at any time is read anew on every visit. */
const FRESH = { staleTime: 0 } as const;
/** How often an open deal is read again: the other side, and the escrow provider, act meanwhile. */
const DEAL_MS = 5000;

export const listingsQuery = (state: ListingSearch) =>
  infiniteQueryOptions({
    queryKey: [KEY, 'listings', state] as const,
    gcTime: LEFT_MS,
    queryFn: ({ pageParam, signal }) => {
      const { search, niche, minPrice, maxPrice, verified } = criteriaOf(state);
      const query = {
        ...at(pageParam), sort: state.sort,
        ...(search ? { search } : {}), ...(niche ? { niche } : {}), ...(verified ? { verified } : {}),
        ...(minPrice !== null ? { minPrice } : {}), ...(maxPrice !== null ? { maxPrice } : {}),
      };
      return answer(api.GET('/api/marketplace/listings', { params: { query }, signal }));
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
    ...FRESH,
  });

/** What is shown of it depends on who asks. */
export const listingQuery = (id: string, me: string | undefined) =>
  queryOptions({
    queryKey: [KEY, 'listing', id, me ?? ''] as const,
    queryFn: ({ signal }) => body(api.GET('/api/marketplace/listings/{id}', { params: { path: { id } }, signal })),
    ...FRESH,
  });

export const questionsQuery = (id: string, me: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [KEY, 'questions', id, me ?? ''] as const,
    queryFn: ({ pageParam, signal }) => answer(api.GET('/api/marketplace/listings/{id}/questions', { params: { path: { id }, query: at(pageParam) }, signal })),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    ...FRESH,
  });

export const sellerQuery = (id: string) =>
  queryOptions({
    queryKey: [KEY, 'seller', id] as const,
    queryFn: ({ signal }) => body(api.GET('/api/marketplace/sellers/{id}', { params: { path: { id } }, signal })),
    ...FRESH,
  });

export const sellerListingsQuery = (seller: string) =>
  infiniteQueryOptions({
    queryKey: [KEY, 'seller-listings', seller] as const,
    queryFn: ({ pageParam, signal }) => answer(api.GET('/api/marketplace/listings', { params: { query: { seller, ...at(pageParam) } }, signal })),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    ...FRESH,
  });

export const listingHistoryQuery = (id: string) =>
  queryOptions({
    queryKey: [KEY, 'listing-history', id] as const,
    queryFn: ({ signal }) => body(api.GET('/api/marketplace/listings/{id}/history', { params: { path: { id } }, signal })),
    ...FRESH,
  });

export const myListingsQuery = infiniteQueryOptions({
  queryKey: [KEY, 'mine'] as const,
  queryFn: ({ pageParam, signal }) => answer(api.GET('/api/marketplace/my/listings', { params: { query: at(pageParam) }, signal })),
  initialPageParam: '',
  getNextPageParam: (page) => page.nextCursor,
  ...FRESH,
});

export const myOffersQuery = (side: 'buyer' | 'seller') =>
  infiniteQueryOptions({
    queryKey: [KEY, 'offers', side] as const,
    queryFn: ({ pageParam, signal }) => answer(api.GET('/api/marketplace/my/offers', { params: { query: { side, ...at(pageParam) } }, signal })),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    ...FRESH,
  });

export const watchesQuery = infiniteQueryOptions({
  queryKey: [KEY, 'watches'] as const,
  queryFn: ({ signal }) => answer(api.GET('/api/marketplace/my/watches', { signal })),
  initialPageParam: '',
  getNextPageParam: (page) => page.nextCursor,
  ...FRESH,
});

export const savedSearchesQuery = queryOptions({
  queryKey: [KEY, 'saved-searches'] as const,
  queryFn: ({ signal }) => body(api.GET('/api/marketplace/my/saved-searches', { signal })),
  ...FRESH,
});

/** Nothing can come of it any more. */
export const isOver = (deal: OfferInFull): boolean => deal.next === 'none' && !deal.isOnHold;

export const dealQuery = (id: string) =>
  queryOptions({
    queryKey: [KEY, 'deal', id] as const,
    queryFn: ({ signal }) => body(api.GET('/api/marketplace/offers/{id}', { params: { path: { id } }, signal })),
    refetchInterval: (query) => (query.state.data && isOver(query.state.data) ? false : DEAL_MS),
    ...FRESH,
  });

export const messagesQuery = (id: string, isOpen: boolean) =>
  infiniteQueryOptions({
    queryKey: [KEY, 'messages', id] as const,
    queryFn: ({ pageParam, signal }) => answer(api.GET('/api/marketplace/offers/{id}/messages', { params: { path: { id }, query: at(pageParam, 100) }, signal })),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    refetchInterval: isOpen ? DEAL_MS : false,
    ...FRESH,
  });

/** `state`: of the deal; with another one there is more to tell. */
export const dealHistoryQuery = (id: string, state: string) =>
  queryOptions({
    queryKey: [KEY, 'deal-history', id, state] as const,
    queryFn: ({ signal }) => body(api.GET('/api/marketplace/offers/{id}/history', { params: { path: { id } }, signal })),
    ...FRESH,
  });

export const reviewQuery = (status: ListingStatus) =>
  infiniteQueryOptions({
    queryKey: [KEY, 'review', status] as const,
    queryFn: ({ pageParam, signal }) => answer(api.GET('/api/admin/marketplace/listings', { params: { query: { status, ...at(pageParam) } }, signal })),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    ...FRESH,
  });

export const disputesQuery = infiniteQueryOptions({
  queryKey: [KEY, 'disputes'] as const,
  queryFn: ({ pageParam, signal }) => answer(api.GET('/api/admin/marketplace/disputes', { params: { query: at(pageParam) }, signal })),
  initialPageParam: '',
  getNextPageParam: (page) => page.nextCursor,
  ...FRESH,
});

export const flaggedQuery = infiniteQueryOptions({
  queryKey: [KEY, 'flagged'] as const,
  queryFn: ({ pageParam, signal }) => answer(api.GET('/api/admin/marketplace/questions', { params: { query: at(pageParam) }, signal })),
  initialPageParam: '',
  getNextPageParam: (page) => page.nextCursor,
  ...FRESH,
});

export const escrowCallsQuery = infiniteQueryOptions({
  queryKey: [KEY, 'escrow-calls'] as const,
  queryFn: ({ signal }) => answer(api.GET('/api/admin/marketplace/escrow-calls', { signal })),
  initialPageParam: '',
  getNextPageParam: (page) => page.nextCursor,
  ...FRESH,
});

/** After a change: whatever is on the screen is read again. */
export function useMarketChanged(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: [KEY] });
}
