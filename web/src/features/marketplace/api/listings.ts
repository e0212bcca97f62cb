import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { criteriaOf, type ListingSearch } from '../lib/search';
import type { FlagReason } from '../lib/types';
import { at, FRESH, KEY, MARKET, pathOf } from './request';

/** Cache time of a list, so that "back" returns to the same place. */
const CACHE_MS = 1_800_000;

export const listingsQuery = (state: ListingSearch) =>
  infiniteQueryOptions({
    queryKey: [KEY, 'listings', state] as const,
    gcTime: CACHE_MS,
    queryFn: ({ pageParam, signal }) => {
      const { search, niche, minPrice, maxPrice, verified } = criteriaOf(state);
      const query = {
        ...at(pageParam),
        sort: state.sort,
        ...(search ? { search } : {}),
        ...(niche ? { niche } : {}),
        ...(verified ? { verified } : {}),
        ...(minPrice !== null ? { minPrice } : {}),
        ...(maxPrice !== null ? { maxPrice } : {}),
      };
      return answer(api.GET('/api/marketplace/listings', { params: { query }, signal }));
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
    ...FRESH,
  });

/** The response depends on the user. */
export const listingQuery = (id: string, me: string | undefined) =>
  queryOptions({
    queryKey: [KEY, 'listing', id, me ?? ''] as const,
    queryFn: ({ signal }) => body(api.GET('/api/marketplace/listings/{id}', { params: { path: { id } }, signal })),
    ...FRESH,
  });

export const questionsQuery = (id: string, me: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [KEY, 'questions', id, me ?? ''] as const,
    queryFn: ({ pageParam, signal }) =>
      answer(
        api.GET('/api/marketplace/listings/{id}/questions', { params: { path: { id }, query: at(pageParam) }, signal }),
      ),
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
    queryFn: ({ pageParam, signal }) =>
      answer(api.GET('/api/marketplace/listings', { params: { query: { seller, ...at(pageParam) } }, signal })),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    ...FRESH,
  });

export const listingHistoryQuery = (id: string) =>
  queryOptions({
    queryKey: [KEY, 'listing-history', id] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/marketplace/listings/{id}/history', { params: { path: { id } }, signal })),
    ...FRESH,
  });

export const myListingsQuery = infiniteQueryOptions({
  queryKey: [KEY, 'mine'] as const,
  queryFn: ({ pageParam, signal }) =>
    answer(api.GET('/api/marketplace/my/listings', { params: { query: at(pageParam) }, signal })),
  initialPageParam: '',
  getNextPageParam: (page) => page.nextCursor,
  ...FRESH,
});

/** By an invited member, with the token of the invitation. */
export const joinReview = (id: string) =>
  command({
    send: (token: string) =>
      body(api.POST('/api/marketplace/listings/{id}/review/join', { params: { path: { id } }, body: { token } })),
  });

export const askSeller = (listingId: string) =>
  command({
    send: (text: string) =>
      body(api.POST('/api/marketplace/listings/{id}/questions', { ...pathOf(listingId), body: { text } })),
    changes: MARKET,
    success: ['Question sent', 'The seller is notified. The answer appears here.'],
  });

export const answerQuestion = (id: string) =>
  command({
    send: (text: string) => body(api.POST('/api/marketplace/questions/{id}/answer', { ...pathOf(id), body: { text } })),
    changes: MARKET,
    success: 'Answer sent',
  });

export const flagQuestion = (id: string) =>
  command({
    send: (reason: FlagReason) =>
      body(api.POST('/api/marketplace/questions/{id}/flag', { ...pathOf(id), body: { reason } })),
    changes: MARKET,
    success: ['Reported', 'An admin will review it.'],
  });
