import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { deal, escrow } from '@/test/marketplace';
import { renderApp, signIn } from '@/test/render';
import { http, json, refuse } from '@/test/http';
import { requests, server } from '@/test/server';
import { isSold, type Deal } from '../lib/deal-steps';
import { endsOf, movesOf } from '../lib/transfer-content';
import type { Transfer, TransferContent } from '../lib/types';

const AT = '2026-11-27T12:00:00Z';
const content = (over: Partial<TransferContent> = {}): TransferContent => ({
  sites: 0,
  subscribers: 0,
  links: 1204,
  siteKeys: 1,
  secretKeys: 2,
  domains: ['go.vpnreview.example'],
  unverifiedDomains: 0,
  partners: ['Nordic Shoes'],
  channels: 0,
  connections: 0,
  conversions: 310,
  payouts: 0,
  files: 0,
  views: 0,
  reports: 1,
  ...over,
});
const transfer = (over: Partial<Transfer> = {}): Transfer => ({
  status: null,
  side: 'seller',
  canPropose: true,
  websiteId: 'w1',
  domain: 'vpnreview.example',
  at: null,
  isMoved: false,
  content: content(),
  ...over,
});
const sold = (side: Deal['side']): Deal =>
  deal({
    side,
    status: 'accepted',
    turn: null,
    listingStatus: 'sold',
    escrowStatus: 'released',
    escrow: escrow({ status: 'released', toSeller: { amount: 4_000_000, currency: 'USD' } }),
    next: 'none',
  });
const shows = (side: Deal['side'], found: () => Transfer) => {
  signIn();
  server.use(
    http.get('/api/marketplace/offers/{id}', () => json(sold(side))),
    http.get('/api/marketplace/offers/{id}/messages', () => json([])),
    http.get('/api/marketplace/offers/{id}/history', () => json([])),
    http.get('/api/marketplace/offers/{id}/transfer', () => json(found())),
  );
  return renderApp('/marketplace/deals/o1');
};
const step = (name: 'propose' | 'accept', done: () => void) =>
  http.post(`/api/marketplace/offers/{id}/transfer/${name}`, () => {
    done();
    return json({ id: 'o1', status: name === 'propose' ? 'proposed' : 'accepted', websiteId: 'w1' });
  });

test('what is not there is not listed', () => {
  expect(movesOf(content()).map((item) => item.label)).toEqual([
    'Measured history',
    'Conversions',
    'Tracked links',
    'Site keys',
    'Custom domains',
    'Private partners',
  ]);
  expect(endsOf(content()).map((item) => item.label)).toEqual([
    'Secret keys and postback tokens',
    'Reports by email',
    'Alerts',
  ]);
  expect(movesOf(content())[2]?.text).toBe('1,204: they go on redirecting');
});

test('only the two sides of a sale that is complete are asked', () => {
  expect([isSold(sold('buyer')), isSold(sold('admin')), isSold(deal({ status: 'accepted' }))]).toEqual([
    true,
    false,
    false,
  ]);
});

test('the seller sees what moves before it is offered', async () => {
  let found = transfer();
  const { user } = shows('seller', () => found);
  server.use(step('propose', () => (found = transfer({ status: 'proposed', canPropose: false, at: AT }))));
  const moves = await screen.findByRole('region', { name: 'Moves to the buyer' });
  expect(within(moves).getByText('go.vpnreview.example: links under them go on working')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Offer the move' }));
  const dialog = await screen.findByRole('dialog', { name: 'Offer to move the website?' });
  expect(within(dialog).getByText(/you no longer see the website, its history, links and sales/)).toBeInTheDocument();
  expect(requests('POST')).toEqual([]);
  await user.click(within(dialog).getByRole('button', { name: 'Offer the move' }));
  expect(await screen.findByText('You offered to move the website. It moves once Sigrún accepts.')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Withdraw this' })).toBeInTheDocument();
});

test('the buyer accepts it and finds its history', async () => {
  let found = transfer({ status: 'proposed', side: 'buyer', canPropose: false, websiteId: null });
  const { user } = shows('buyer', () => found);
  const moved = transfer({ status: 'accepted', side: 'buyer', canPropose: false, isMoved: true, content: null });
  server.use(step('accept', () => (found = moved)));
  await user.click(await screen.findByRole('button', { name: 'Accept the website' }));
  const dialog = await screen.findByRole('dialog', { name: 'Move the website to your account?' });
  await user.click(within(dialog).getByRole('button', { name: 'Accept the website' }));
  const link = await screen.findByRole('link', { name: 'See its history' });
  expect(link.getAttribute('href')).toContain('website=w1');
  expect(screen.queryByRole('button', { name: 'Decline' })).not.toBeInTheDocument();
});

test('a refusal is shown where it was asked', async () => {
  const { user } = shows('buyer', () => transfer({ status: 'proposed', side: 'buyer', canPropose: false }));
  server.use(
    http.post('/api/marketplace/offers/{id}/transfer/accept', () =>
      refuse(409, 'The seller no longer has this website here, so it cannot move.', 'website_gone'),
    ),
  );
  await user.click(await screen.findByRole('button', { name: 'Accept the website' }));
  const dialog = await screen.findByRole('dialog', { name: 'Move the website to your account?' });
  await user.click(within(dialog).getByRole('button', { name: 'Accept the website' }));
  expect(await within(dialog).findByText(/The seller no longer has this website here/)).toBeInTheDocument();
});

test('a seller whose listing names no website reads that there is nothing to move', async () => {
  shows('seller', () => transfer({ canPropose: false, content: null, domain: null, websiteId: null }));
  expect(await screen.findByText(/there is nothing to move/)).toBeInTheDocument();
});
