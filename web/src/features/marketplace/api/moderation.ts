import { answer, api, body, done } from '@/lib/api/client';
import { cursorQuery } from '@/lib/api/cursor-query';
import { command } from '@/lib/api/command';
import type { Closing, Decision, ListingStatus } from '../lib/types';
import { FRESH, KEY, MARKET, PAGE, pathOf } from './request';

export const reviewQuery = (status: ListingStatus, search: string) =>
  cursorQuery({
    queryKey: [KEY, 'review', status, search] as const,
    read: (at, signal) => {
      const query = { status, ...(search ? { search } : {}), limit: PAGE, ...at };
      return answer(api.GET('/api/admin/marketplace/listings', { params: { query }, signal }));
    },
    ...FRESH,
  });

export const disputesQuery = cursorQuery({
  queryKey: [KEY, 'disputes'] as const,
  read: (at, signal) =>
    answer(api.GET('/api/admin/marketplace/disputes', { params: { query: { limit: PAGE, ...at } }, signal })),
  ...FRESH,
});

export const flaggedQuery = cursorQuery({
  queryKey: [KEY, 'flagged'] as const,
  read: (at, signal) =>
    answer(api.GET('/api/admin/marketplace/questions', { params: { query: { limit: PAGE, ...at } }, signal })),
  ...FRESH,
});

export const escrowCallsQuery = cursorQuery({
  queryKey: [KEY, 'escrow-calls'] as const,
  read: (_, signal) => answer(api.GET('/api/admin/marketplace/escrow-calls', { signal })),
  ...FRESH,
});

export type ReviewDecision = 'approve' | 'reject' | 'suspend' | 'resume';
export type ReviewedBy = 'admin' | 'reviewer';

interface Reviewed {
  /** The edition that was read. */
  readonly edition: number;
  readonly reason: string;
}

const DECIDED: Readonly<Record<ReviewDecision, string>> = {
  approve: 'Listing approved',
  reject: 'Listing rejected',
  suspend: 'Listing suspended',
  resume: 'Listing online again',
};

export const reviewListing = (id: string, by: ReviewedBy, decision: ReviewDecision) =>
  command({
    send: (reviewed: Reviewed) =>
      by === 'reviewer' ? sendAsReviewer(id, decision, reviewed) : sendAsAdmin(id, decision, reviewed),
    changes: MARKET,
    success: DECIDED[decision],
  });

function sendAsReviewer(id: string, decision: ReviewDecision, { edition, reason }: Reviewed): Promise<unknown> {
  return body(
    decision === 'approve'
      ? api.POST('/api/marketplace/listings/{id}/review/approve', { ...pathOf(id), body: { edition } })
      : api.POST('/api/marketplace/listings/{id}/review/reject', { ...pathOf(id), body: { reason } }),
  );
}

function sendAsAdmin(id: string, decision: ReviewDecision, { edition, reason }: Reviewed): Promise<unknown> {
  const path = pathOf(id);
  switch (decision) {
    case 'approve':
      return body(api.POST('/api/admin/marketplace/listings/{id}/approve', { ...path, body: { edition } }));
    case 'reject':
      return body(api.POST('/api/admin/marketplace/listings/{id}/reject', { ...path, body: { reason } }));
    case 'suspend':
      return body(api.POST('/api/admin/marketplace/listings/{id}/suspend', { ...path, body: { reason } }));
    case 'resume':
      return body(api.POST('/api/admin/marketplace/listings/{id}/resume', path));
  }
}

export const decideDispute = (offerId: string) =>
  command({
    send: (decision: Decision) =>
      body(api.POST('/api/admin/marketplace/offers/{id}/decide', { ...pathOf(offerId), body: decision })),
    changes: MARKET,
    success: ['Dispute decided', 'The escrow provider is instructed to pay.'],
  });

/** How a deal without escrow ended. */
export const closeDispute = (offerId: string) =>
  command({
    send: (closing: Closing) =>
      body(api.POST('/api/admin/marketplace/offers/{id}/close', { ...pathOf(offerId), body: closing })),
    changes: MARKET,
    success: ['Dispute recorded', 'Both sides see how it ended.'],
  });

export const hideQuestion = (id: string) =>
  command({
    send: (reason: string) =>
      body(api.POST('/api/admin/marketplace/questions/{id}/hide', { ...pathOf(id), body: { reason } })),
    changes: MARKET,
    success: 'Question hidden',
  });

export const keepQuestion = command({
  send: (id: string) => body(api.POST('/api/admin/marketplace/questions/{id}/restore', pathOf(id))),
  changes: MARKET,
  success: 'Question kept',
  failure: 'Failed to keep the question',
});

export const retryEscrowCall = command({
  send: (escrowId: string) =>
    done(api.POST('/api/admin/marketplace/escrow-calls/{escrowId}/retry', { params: { path: { escrowId } } })),
  changes: MARKET,
  success: 'Retrying',
  failure: 'Failed to retry',
});

/** Whether deals without escrow are allowed. */
export const allowDirectDeals = command({
  send: (directDeals: boolean) => body(api.PUT('/api/admin/marketplace/direct-deals', { body: { directDeals } })),
  changes: MARKET,
  success: (_, directDeals) => (directDeals ? 'Direct deals allowed' : 'Direct deals ended'),
});
