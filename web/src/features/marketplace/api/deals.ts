import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import type { OfferInFull } from '../lib/types';
import { at, FRESH, KEY } from './request';

/** Refetch interval of an open deal: the other side and the escrow provider change it. */
const DEAL_MS = 5000;

export const myOffersQuery = (side: 'buyer' | 'seller') =>
  infiniteQueryOptions({
    queryKey: [KEY, 'offers', side] as const,
    queryFn: ({ pageParam, signal }) =>
      answer(api.GET('/api/marketplace/my/offers', { params: { query: { side, ...at(pageParam) } }, signal })),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    ...FRESH,
  });

/** The deal is closed. */
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
    queryFn: ({ pageParam, signal }) =>
      answer(
        api.GET('/api/marketplace/offers/{id}/messages', {
          params: { path: { id }, query: at(pageParam, 100) },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    refetchInterval: isOpen ? DEAL_MS : false,
    ...FRESH,
  });

/** `state`: of the deal; a new state has more history. */
export const dealHistoryQuery = (id: string, state: string) =>
  queryOptions({
    queryKey: [KEY, 'deal-history', id, state] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/marketplace/offers/{id}/history', { params: { path: { id } }, signal })),
    ...FRESH,
  });
