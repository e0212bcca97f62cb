import { queryOptions } from '@tanstack/react-query';
import { answer, api, body } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { command } from '@/lib/api/command';
import { toMajor } from '@/lib/format';
import type { OfferInFull } from '../lib/types';
import { FRESH, KEY, MARKET, PAGE, pathOf } from './request';

/** Refetch interval of an open deal: the other side and the escrow provider change it. */
const DEAL_MS = 5000;

export const myOffersQuery = (side: 'buyer' | 'seller') =>
  cursorQuery({
    queryKey: [KEY, 'offers', side] as const,
    read: (at, signal) =>
      answer(api.GET('/api/marketplace/my/offers', { params: { query: { side, limit: PAGE, ...at } }, signal })),
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
  cursorQuery({
    queryKey: [KEY, 'messages', id] as const,
    read: (at, signal) =>
      answer(
        api.GET('/api/marketplace/offers/{id}/messages', {
          params: { path: { id }, query: { limit: 100, ...at } },
          signal,
        }),
      ),
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

export interface NewOffer {
  /** In dollars. */
  readonly price: number;
  readonly text: string;
}

export const makeOffer = (listingId: string) =>
  command({
    send: (offer: NewOffer) =>
      body(api.POST('/api/marketplace/listings/{id}/offers', { ...pathOf(listingId), body: offer })),
    changes: MARKET,
    success: ['Offer sent', 'The seller has one week to respond.'],
  });

export const counterOffer = (id: string) =>
  command({
    send: (offer: NewOffer) => body(api.POST('/api/marketplace/offers/{id}/counter', { ...pathOf(id), body: offer })),
    changes: MARKET,
    success: 'Counter-offer sent',
  });

const dealStep = (success: string, send: (deal: OfferInFull) => Promise<unknown>) =>
  command({ send, changes: MARKET, success });

/** What a side of a deal does after a confirmation, with the deal as it was confirmed. */
export const dealSteps = {
  accept: dealStep('Offer accepted', ({ id, price, escrowKind }) =>
    body(
      api.POST('/api/marketplace/offers/{id}/accept', {
        ...pathOf(id),
        body: { price: toMajor(price), withoutEscrow: escrowKind === 'direct' },
      }),
    ),
  ),
  decline: dealStep('Offer declined', ({ id }) => body(api.POST('/api/marketplace/offers/{id}/decline', pathOf(id)))),
  withdraw: dealStep('Offer withdrawn', ({ id }) =>
    body(api.POST('/api/marketplace/offers/{id}/withdraw', pathOf(id))),
  ),
  cancel: dealStep('Deal canceled', ({ id }) =>
    body(api.POST('/api/marketplace/offers/{id}/escrow/cancel', pathOf(id))),
  ),
  deliver: dealStep('The buyer is notified', ({ id }) =>
    body(api.POST('/api/marketplace/offers/{id}/escrow/deliver', pathOf(id))),
  ),
  'confirm-receipt': dealStep('Inspection began', ({ id }) =>
    body(api.POST('/api/marketplace/offers/{id}/escrow/confirm-receipt', pathOf(id))),
  ),
  'accept-delivery': dealStep('Website accepted', ({ id }) =>
    body(api.POST('/api/marketplace/offers/{id}/escrow/accept', pathOf(id))),
  ),
  'confirm-handover': dealStep('Handover confirmed', ({ id }) =>
    body(api.POST('/api/marketplace/offers/{id}/direct/confirm', pathOf(id))),
  ),
  'cancel-direct': dealStep('Deal canceled', ({ id }) =>
    body(api.POST('/api/marketplace/offers/{id}/direct/cancel', pathOf(id))),
  ),
} as const;

export const openDispute = (id: string, isDirect: boolean) =>
  command({
    send: (text: string) => {
      const words = { ...pathOf(id), body: { text } };
      return body(
        isDirect
          ? api.POST('/api/marketplace/offers/{id}/direct/dispute', words)
          : api.POST('/api/marketplace/offers/{id}/escrow/dispute', words),
      );
    },
    changes: MARKET,
    success: [
      'Dispute opened',
      isDirect ? 'An admin reviews it and records the end.' : 'An admin reviews and decides it.',
    ],
  });

export const sendMessage = (id: string) =>
  command({
    send: (text: string) => body(api.POST('/api/marketplace/offers/{id}/messages', { ...pathOf(id), body: { text } })),
    changes: MARKET,
  });
