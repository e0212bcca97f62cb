import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { command } from '@/lib/api/command';
import { criteriaOf, type ListingSearch } from '../lib/search';
import type { FlagReason } from '../lib/types';
import { FRESH, KEY, MARKET, PAGE, pathOf } from './request';

/** Cache time of a list, so that "back" returns to the same place. */
const CACHE_MS = 1_800_000;

export const listingsQuery = (state: ListingSearch) =>
  cursorQuery({
    queryKey: [KEY, 'listings', state] as const,
    gcTime: CACHE_MS,
    read: (at, signal) => {
      const { search, niche, minPrice, maxPrice, verified } = criteriaOf(state);
      const query = {
        limit: PAGE,
        ...at,
        sort: state.sort,
        ...(search ? { search } : {}),
        ...(niche ? { niche } : {}),
        ...(verified ? { verified } : {}),
        ...(minPrice !== null ? { minPrice } : {}),
        ...(maxPrice !== null ? { maxPrice } : {}),
      };
      return answer(api.GET('/api/marketplace/listings', { params: { query }, signal }));
    },
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
  cursorQuery({
    queryKey: [KEY, 'questions', id, me ?? ''] as const,
    read: (at, signal) =>
      answer(
        api.GET('/api/marketplace/listings/{id}/questions', {
          params: { path: { id }, query: { limit: PAGE, ...at } },
          signal,
        }),
      ),
    ...FRESH,
  });

export const sellerQuery = (id: string) =>
  queryOptions({
    queryKey: [KEY, 'seller', id] as const,
    queryFn: ({ signal }) => body(api.GET('/api/marketplace/sellers/{id}', { params: { path: { id } }, signal })),
    ...FRESH,
  });

export const sellerListingsQuery = (seller: string) =>
  cursorQuery({
    queryKey: [KEY, 'seller-listings', seller] as const,
    read: (at, signal) =>
      answer(api.GET('/api/marketplace/listings', { params: { query: { seller, limit: PAGE, ...at } }, signal })),
    ...FRESH,
  });

export const listingHistoryQuery = (id: string) =>
  queryOptions({
    queryKey: [KEY, 'listing-history', id] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/marketplace/listings/{id}/history', { params: { path: { id } }, signal })),
    ...FRESH,
  });

export const myListingsQuery = cursorQuery({
  queryKey: [KEY, 'mine'] as const,
  read: (at, signal) =>
    answer(api.GET('/api/marketplace/my/listings', { params: { query: { limit: PAGE, ...at } }, signal })),
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
