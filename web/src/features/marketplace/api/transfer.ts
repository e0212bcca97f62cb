import { queryOptions } from '@tanstack/react-query';
import { api, body } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import { FRESH, KEY, MARKET, pathOf } from './request';

/** The other side may agree, or say no. */
const ASKED_MS = 5000;
const TOLD_MS = 1000;
const TRIES = 30;

/** The transfer of the sold website. `state`: of the deal; what the other side does changes it. */
export const transferQuery = (offerId: string, state: string) =>
  queryOptions({
    queryKey: [KEY, 'transfer', offerId, state] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/marketplace/offers/{id}/transfer', { params: { path: { id: offerId } }, signal })),
    refetchInterval: ({ state: { data, dataUpdateCount } }) => {
      if (!data || data.isMoved) return false;
      if (data.status !== 'accepted') return ASKED_MS;
      // After the buyer's consent the read models follow, each a moment later.
      return dataUpdateCount < TRIES ? TOLD_MS : ASKED_MS;
    },
    ...FRESH,
  });

/** What a side of the transfer does after a confirmation; with the id of the offer. */
export const transferSteps = {
  propose: command({
    send: (id: string) => body(api.POST('/api/marketplace/offers/{id}/transfer/propose', pathOf(id))),
    changes: MARKET,
    success: 'The buyer is notified',
  }),
  withdraw: command({
    send: (id: string) => body(api.POST('/api/marketplace/offers/{id}/transfer/withdraw', pathOf(id))),
    changes: MARKET,
    success: 'No longer offered',
  }),
  decline: command({
    send: (id: string) => body(api.POST('/api/marketplace/offers/{id}/transfer/decline', pathOf(id))),
    changes: MARKET,
    success: 'Declined',
  }),
  accept: command({
    send: (id: string) => body(api.POST('/api/marketplace/offers/{id}/transfer/accept', pathOf(id))),
    changes: [[]], // who has which website, link and domain is shown all over the app
    success: 'The website is yours',
  }),
} as const;
