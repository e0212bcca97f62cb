import { act, screen, waitFor, within } from '@testing-library/react';
import type { Query } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { deal, escrow, listing, listingInFull } from '@/test/marketplace';
import { renderApp, signIn } from '@/test/render';
import { http, json, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';
import { actionsOf, escrowNote, isRecorded, milestonesOf, nextOf, type Deal } from '../lib/deal-steps';
import type { EscrowStatus, Step } from '../lib/types';

const AT = '2026-11-20T12:00:00Z';
const UNPROTECTED = /^Deals here have no escrow: your money is not protected/;
const steps = (...kinds: string[]): Step[] =>
  kinds.map((kind, index) => ({ number: index + 1, kind: `direct_deal.${kind}`, by: 'buyer', at: AT, detail: '' }));
const direct = (status: EscrowStatus, over: Partial<Deal> = {}, more: Parameters<typeof escrow>[0] = {}): Deal =>
  deal({
    status: 'accepted',
    turn: null,
    escrowKind: 'direct',
    escrowStatus: status,
    escrow: escrow({ status, isDirect: true, ...more }),
    ...over,
  });
const terms = (escrowKind: Deal['escrowKind'], directDeals = false) =>
  http.get('/api/marketplace/deal-terms', () => json({ escrowKind, directDeals }));
const bodyOf = (part: string) => state.seen.find((item) => item.line.includes(part))?.body;

test('each side confirms for itself; nobody is asked to pay into an escrow that there is not', () => {
  const mine = { next: 'confirm_handover' } as const;
  const theirs = { next: 'wait_for_confirmation' } as const;
  expect(actionsOf(direct('agreed', mine))).toEqual(['confirm-handover', 'dispute-direct', 'cancel-direct']);
  expect(actionsOf(direct('confirmed', mine))).toEqual(['confirm-handover', 'dispute-direct']);
  expect(actionsOf(direct('confirmed', theirs))).toEqual(['dispute-direct']);
  expect(actionsOf(direct('completed', { next: 'none' }))).toEqual([]);
  expect(actionsOf(direct('disputed', { side: 'admin' }))).toEqual(['close']);
  expect(nextOf(direct('confirmed', theirs)).title).toBe('Waiting for Jón to confirm');
  expect(escrowNote(direct('agreed'))).toMatch(UNPROTECTED);
  expect(nextOf(direct('confirmed', mine)).text).not.toMatch(/counts as sold/);
  const reminded = direct('confirmed', mine, { inspectUntil: AT });
  expect(nextOf(reminded).text).toMatch(/Without either, the website counts as sold on Nov 20/);
  const unanswered = direct('completed', { next: 'none' }, { sellerConfirmedAt: AT });
  expect(nextOf(unanswered).text).toBe('One side confirmed the handover; the other did not respond in time.');
});

test('the timeline of a deal without escrow tells who confirmed', () => {
  const shown = (one: Deal, history: Step[]) => milestonesOf(one, history).map((item) => `${item.id} ${item.state}`);
  expect(shown(direct('confirmed', {}, { sellerConfirmedAt: AT }), steps('agreed', 'confirmed'))).toEqual([
    'agreed done',
    'seller done',
    'buyer next',
    'completed later',
  ]);
  expect(shown(direct('cancelled'), steps('agreed', 'cancelled'))).toEqual(['agreed done', 'cancelled done']);
  expect(shown(direct('disputed', {}, { disputedBy: 'buyer' }), steps('agreed', 'disputed'))).toEqual([
    'agreed done',
    'disputed done',
    'closed next',
  ]);
  expect(isRecorded(direct('completed', {}, { decisionReason: 'As the bank says' }), steps('completed'))).toBe(false);
  expect(isRecorded(direct('completed', {}, { decisionReason: 'As the bank says' }), steps('closed'))).toBe(true);
});

test('accepting without escrow says what that means, and sends that it was read', async () => {
  signIn();
  server.use(
    http.get('/api/marketplace/offers/{id}', () =>
      json(deal({ side: 'seller', next: 'answer', escrowKind: 'direct' })),
    ),
    http.get('/api/marketplace/offers/{id}/messages', () => json([])),
    http.get('/api/marketplace/offers/{id}/history', () => json([])),
    http.post('/api/marketplace/offers/{id}/accept', () => json({ id: 'o1', status: 'accepted', escrowId: 'e1' })),
  );
  const { user } = renderApp('/marketplace/deals/o1');
  await user.click(await screen.findByRole('button', { name: 'Accept $40,000' }));
  const dialog = await screen.findByRole('dialog', { name: 'Sell for $40,000 without escrow?' });
  expect(within(dialog).getByText(/Your money is not protected/)).toBeInTheDocument();
  await user.click(within(dialog).getByRole('button', { name: 'Accept' }));
  expect(await screen.findByText('Offer accepted')).toBeInTheDocument();
  expect(bodyOf('POST /api/marketplace/offers/o1/accept')).toEqual({ price: 40_000, withoutEscrow: true });
});

test('before an offer is sent, the page and the dialog say that there is no escrow', async () => {
  signIn();
  server.use(
    terms('direct', true),
    http.get('/api/marketplace/listings/{id}', () => json(listingInFull({ status: 'active' }))),
    http.get('/api/marketplace/listings/{id}/questions', () => json([])),
  );
  const { user } = renderApp('/marketplace/listing/l1');
  await user.click(await screen.findByRole('button', { name: 'Make an offer' }));
  const dialog = await screen.findByRole('dialog', { name: 'Make an offer' });
  expect(await within(dialog).findByText(UNPROTECTED)).toBeInTheDocument();
  expect(within(dialog).queryByText(/pay into escrow/)).not.toBeInTheDocument();
});

test('without a provider the marketplace and the page of sellers say so', async () => {
  signIn();
  server.use(terms('none'));
  renderApp('/marketplace/sell');
  expect(await screen.findByText(/^There is no escrow here/)).toBeInTheDocument();
});

test('cards come with the note about escrow, which would move them if it came later', async () => {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => (answer = resolve));
  server.use(
    http.get('/api/marketplace/listings', () => json([listing()])),
    http.get('/api/marketplace/deal-terms', async () => {
      await asked;
      return json({ escrowKind: 'direct', directDeals: true });
    }),
  );
  const { client } = renderApp('/marketplace');
  const isRead = (query: Query) => query.queryHash.includes('"listings"') && query.state.status === 'success';
  await waitFor(() => expect(client.getQueryCache().getAll().some(isRead)).toBe(true));
  await act(() => Promise.resolve()); // what was read is shown, if it is shown
  expect(screen.getByRole('status', { name: 'Loading listings' })).toBeInTheDocument();
  expect(screen.queryByRole('list', { name: 'Listings' })).not.toBeInTheDocument();
  answer();
  expect(await screen.findByText(UNPROTECTED)).toBeInTheDocument();
  expect(screen.getByRole('list', { name: 'Listings' })).toBeInTheDocument();
});

test('an admin allows deals without escrow after reading what it means', async () => {
  signIn();
  server.use(
    terms('none'),
    http.put('/api/admin/marketplace/direct-deals', () => json({ directDeals: true })),
  );
  const { user } = renderApp('/admin/listings?tab=settings');
  await user.click(await screen.findByRole('button', { name: 'Allow direct deals' }));
  const dialog = await screen.findByRole('dialog', { name: 'Allow direct deals?' });
  expect(requests('PUT')).toEqual([]);
  await user.click(within(dialog).getByRole('button', { name: 'Allow direct deals' }));
  expect(await screen.findByText('Direct deals allowed')).toBeInTheDocument();
  expect(bodyOf('PUT /api/admin/marketplace/direct-deals')).toEqual({ directDeals: true });
});

test('an admin who sells makes a link for one reviewer, which is shown once', async () => {
  signIn();
  const url = 'http://localhost/marketplace/review/l1#token';
  server.use(
    http.get('/api/marketplace/listings/{id}', () => json(listingInFull({ status: 'in_review', isMine: true }))),
    http.get('/api/marketplace/listings/{id}/history', () => json([])),
    http.post('/api/marketplace/listings/{id}/reviewer', () => json({ id: 'l1', url, expiresAt: AT }, { status: 201 })),
  );
  const { user } = renderApp('/marketplace/listing/l1');
  await user.click(await screen.findByRole('button', { name: 'Make a review link' }));
  expect(await screen.findByText(url)).toBeInTheDocument();
  expect(screen.getByText(/They can review this listing and nothing else/)).toBeInTheDocument();
});

test('the invited person accepts, reviews the edition that they see, and approves it', async () => {
  signIn();
  let joined = false;
  server.use(
    http.get('/api/marketplace/listings/{id}', () =>
      joined
        ? json(listingInFull({ status: 'in_review', isReviewer: true, edition: 4 }))
        : refuse(404, 'Listing not found.', 'not_found'),
    ),
    http.post('/api/marketplace/listings/{id}/review/join', () => {
      joined = true;
      return json({ id: 'l1', status: 'in_review', edition: 4, images: [] });
    }),
    http.post('/api/marketplace/listings/{id}/review/approve', () =>
      json({ id: 'l1', status: 'active', edition: 4, images: [] }),
    ),
    http.get('/api/marketplace/listings', () => json([])),
  );
  const { user } = renderApp('/marketplace/review/l1#a-token-of-a-link-to-a-review');
  await user.click(await screen.findByRole('button', { name: 'Review this listing' }));
  expect(bodyOf('/review/join')).toEqual({ token: 'a-token-of-a-link-to-a-review' });
  await user.click(await screen.findByRole('button', { name: 'Approve' }));
  const dialog = await screen.findByRole('dialog', { name: 'Approve this listing?' });
  await user.click(within(dialog).getByRole('button', { name: 'Approve' }));
  expect(await screen.findByText('Listing approved')).toBeInTheDocument();
  expect(bodyOf('/review/approve')).toEqual({ edition: 4 });
});

test('the address of a review without a link and without a right to it is not found', async () => {
  signIn();
  server.use(http.get('/api/marketplace/listings/{id}', () => refuse(404, 'Listing not found.', 'not_found')));
  renderApp('/marketplace/review/l1');
  expect(await screen.findByRole('heading', { name: /not found/i })).toBeInTheDocument();
});
