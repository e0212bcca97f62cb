import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { USER } from '@/test/fixtures';
import { deal, escrow, listingInFull } from '@/test/marketplace';
import { renderApp, signIn } from '@/test/render';
import { http, json, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';
import { actionsOf, escrowNote, isRecorded, milestonesOf, nextOf, waitsForMe, type Deal } from '../lib/deal-steps';
import type { Dispute, EscrowStatus, Message, Step } from '../lib/types';

const AT = '2026-11-20T12:00:00Z';
const steps = (...kinds: string[]): Step[] =>
  kinds.map((kind, index) => ({ number: index + 1, kind: `escrow.${kind}`, by: 'buyer', at: AT, detail: '' }));
const inEscrow = (status: EscrowStatus, over: Partial<Deal> = {}, more: Parameters<typeof escrow>[0] = {}): Deal =>
  deal({ status: 'accepted', turn: null, escrowStatus: status, escrow: escrow({ status, ...more }), ...over });

test('who may do what, at every step and on every side', () => {
  const of = (side: Deal['side'], one: Deal) => actionsOf({ ...one, side });
  expect(of('buyer', deal())).toEqual(['withdraw']);
  expect(of('seller', deal())).toEqual(['accept', 'counter', 'decline']);
  expect(of('buyer', deal({ status: 'countered', turn: 'buyer' }))).toEqual([
    'accept',
    'counter',
    'decline',
    'withdraw',
  ]);
  expect(of('seller', deal({ isOnHold: true }))).toEqual(['decline']);
  expect(of('buyer', deal({ status: 'declined', turn: null }))).toEqual([]);
  const sides = (status: EscrowStatus) => [of('buyer', inEscrow(status)), of('seller', inEscrow(status))];
  expect(sides('agreed')).toEqual([['cancel'], ['cancel']]);
  expect(of('buyer', inEscrow('agreed', {}, { paymentUrl: 'https://pay.example/1' }))).toEqual(['pay', 'cancel']);
  expect(sides('funded')).toEqual([['dispute'], ['deliver', 'dispute']]);
  expect(sides('delivered')).toEqual([['confirm-receipt', 'accept-delivery', 'dispute'], ['dispute']]);
  expect(sides('inspecting')).toEqual([['accept-delivery', 'dispute'], ['dispute']]);
  expect(sides('disputed')).toEqual([[], []]);
  expect(sides('released')).toEqual([[], []]);
  expect(of('admin', inEscrow('disputed'))).toEqual(['decide']);
  expect(of('admin', inEscrow('disputed', {}, { outcome: 'refund' }))).toEqual([]);
  expect(of('admin', inEscrow('funded'))).toEqual([]);
});

test('the next step names who has to do it, and until when', () => {
  expect(nextOf(deal({ side: 'seller', next: 'answer' })).title).toBe('Your turn to answer');
  expect(nextOf(deal()).title).toBe('Waiting for Jón');
  expect(nextOf(inEscrow('agreed', { next: 'wait_for_payment' })).text).toContain('Nov 27, 12:00');
  expect(nextOf(inEscrow('funded', { next: 'deliver' })).text).toContain('$40,000 is in escrow');
  expect(nextOf(inEscrow('inspecting', { next: 'inspect' }, { inspectUntil: '2026-11-30T08:00:00Z' })).text).toContain(
    'Nov 30, 08:00',
  );
  expect(nextOf(inEscrow('released', { next: 'none' }, { toSeller: { amount: 4_000_000, currency: 'USD' } }))).toEqual({
    title: 'Sold',
    text: 'The seller got $40,000.',
  });
  const split = { toSeller: { amount: 3_000_000, currency: 'USD' }, toBuyer: { amount: 1_000_000, currency: 'USD' } };
  expect(nextOf(inEscrow('released', { next: 'none' }, split)).text).toBe(
    'The seller got $30,000, the buyer got $10,000 back.',
  );
  expect(nextOf(inEscrow('refunded', { next: 'none' })).text).toBe('The buyer got $40,000 back.');
});

test('a trial says that no real money moves, and an open offer that none can be accepted', () => {
  const trial = 'Test mode: no real money is moved. Don’t transfer a real website.';
  expect(escrowNote(deal())).toBeNull();
  expect(escrowNote(deal({ escrowKind: 'trial' }))).toBe(trial);
  expect(escrowNote(inEscrow('funded', { escrowKind: 'trial' }))).toBe(trial);
  expect(escrowNote(inEscrow('funded'))).toBeNull();
  expect(escrowNote(deal({ escrowKind: 'none' }))).toBe(
    'No escrow provider is configured, so offers cannot be accepted yet.',
  );
  expect(escrowNote(deal({ escrowKind: 'none', status: 'declined' }))).toBeNull();
});

test('an offer on hold says why: another one was accepted, or the website is not for sale', () => {
  const held = (listingStatus: Deal['listingStatus']) =>
    nextOf(deal({ isOnHold: true, next: 'none', listingStatus })).text;
  expect(held('under_offer')).toBe(
    'Another offer for this website was accepted. If that deal falls through before Nov 27, 12:00 UTC, this offer reopens.',
  );
  for (const status of ['suspended', 'in_review', null] as const)
    expect(held(status)).toMatch(/^This website is not for sale right now\./);
});

test('the list of deals marks what waits for me, before and after the agreement', () => {
  const row = (side: Deal['side'], over: Partial<Deal>) => waitsForMe(deal({ side, turn: null, ...over }));
  expect([
    row('buyer', { turn: 'buyer' }),
    row('seller', { turn: 'buyer' }),
    row('buyer', { turn: 'buyer', isOnHold: true }),
  ]).toEqual([true, false, false]);
  const after = (side: Deal['side']) =>
    (['agreed', 'funded', 'delivered', 'inspecting', 'accepted', 'disputed', 'released'] as const).filter(
      (escrowStatus) => row(side, { status: 'accepted', escrowStatus }),
    );
  expect(after('buyer')).toEqual(['agreed', 'delivered', 'inspecting']);
  expect(after('seller')).toEqual(['funded']);
});

test('the timeline tells what happened, what is next, and leaves out what was passed over', () => {
  const shown = (one: Deal, history: Step[]) => milestonesOf(one, history).map((item) => `${item.id} ${item.state}`);
  expect(shown(deal(), [])).toEqual([]);
  expect(shown(inEscrow('funded'), steps('agreed', 'opened', 'funded'))).toEqual([
    'agreed done',
    'funded done',
    'delivered next',
    'inspection_began later',
    'accepted later',
    'released later',
  ]);
  expect(shown(inEscrow('accepted'), steps('agreed', 'funded', 'delivered', 'accepted'))).toEqual([
    'agreed done',
    'funded done',
    'delivered done',
    'accepted done',
    'released next',
  ]);
  expect(shown(inEscrow('disputed'), steps('agreed', 'funded', 'disputed'))).toEqual([
    'agreed done',
    'funded done',
    'disputed done',
    'decided next',
    'released later',
  ]);
  expect(
    shown(
      inEscrow('refunded', {}, { outcome: 'refund' }),
      steps('agreed', 'funded', 'disputed', 'decided', 'refunded'),
    ),
  ).toEqual(['agreed done', 'funded done', 'disputed done', 'decided done', 'refunded done']);
  expect(shown(inEscrow('cancelled'), steps('agreed', 'cancelled'))).toEqual(['agreed done', 'cancelled done']);
});

test('a history that is behind the deal is known as such', () => {
  expect(isRecorded(inEscrow('inspecting'), steps('agreed', 'funded', 'delivered'))).toBe(false);
  expect(isRecorded(inEscrow('inspecting'), steps('agreed', 'funded', 'delivered', 'inspection_began'))).toBe(true);
  expect(isRecorded(inEscrow('disputed', {}, { outcome: 'refund' }), steps('agreed', 'funded', 'disputed'))).toBe(
    false,
  );
  expect(isRecorded(deal(), [{ number: 1, kind: 'offer.sent', by: 'buyer', at: AT, detail: '' }])).toBe(true);
});

const MESSAGES: Message[] = [
  {
    number: 2,
    by: 'seller',
    authorName: 'Jón',
    isMine: false,
    text: 'Would you take 41?',
    price: { amount: 4_100_000, currency: 'USD' },
    at: AT,
  },
  {
    number: 1,
    by: 'buyer',
    authorName: 'Sigrún',
    isMine: true,
    text: 'A good site',
    price: { amount: 4_000_000, currency: 'USD' },
    at: AT,
  },
];

function serve(...deals: [Deal, ...Deal[]]) {
  const left = [...deals];
  server.use(
    http.get('/api/marketplace/offers/{id}', () => json(left[0] ?? deals[0])),
    http.get('/api/marketplace/offers/{id}/messages', () => json(MESSAGES)),
    http.get('/api/marketplace/offers/{id}/history', () => json(steps('agreed', 'funded'))),
  );
  return () => void left.shift();
}
const bodyOf = (part: string) => state.seen.find((item) => item.line.includes(part))?.body;

test('accepting asks first, names the price that was shown, and says what was refused', async () => {
  signIn();
  const next = serve(
    deal({ status: 'countered', turn: 'buyer', next: 'answer' }),
    inEscrow('agreed', { next: 'pay' }, { paymentUrl: 'https://pay.example/1' }),
  );
  let refused = true;
  server.use(
    http.post('/api/marketplace/offers/{id}/accept', () => {
      if (refused) return refuse(409, 'The price has changed. Please reload the offer.', 'price_changed');
      next();
      return json({ id: 'o1', status: 'accepted', escrowId: 'e1' });
    }),
  );
  const { user } = renderApp('/marketplace/deals/o1');
  await user.click(await screen.findByRole('button', { name: 'Accept $40,000' }));
  const dialog = await screen.findByRole('dialog', { name: 'Buy for $40,000?' });
  expect(requests('POST')).toEqual([]);
  await user.click(within(dialog).getByRole('button', { name: 'Accept' }));
  expect(await within(dialog).findByText('The price has changed. Please reload the offer.')).toBeInTheDocument();
  refused = false;
  await user.click(within(dialog).getByRole('button', { name: 'Accept' }));
  expect(bodyOf('POST /api/marketplace/offers/o1/accept')).toEqual({ price: 40_000, withoutEscrow: false });
  const pay = await screen.findByRole('link', { name: /^Pay \$40,000 into escrow/ });
  expect(pay).toHaveAttribute('href', 'https://pay.example/1');
  expect(pay).toHaveAttribute('rel', 'noopener noreferrer');
});

test('the thread is in order and written to; a counter-offer names whole dollars', async () => {
  signIn();
  serve(deal({ status: 'countered', turn: 'buyer', next: 'answer' }));
  server.use(
    http.post('/api/marketplace/offers/{id}/messages', () =>
      json({ id: 'o1', status: 'countered', escrowId: null }, { status: 201 }),
    ),
    http.post('/api/marketplace/offers/{id}/counter', () => json({ id: 'o1', status: 'countered', escrowId: null })),
  );
  const { user } = renderApp('/marketplace/deals/o1');
  const thread = await screen.findByRole('list', { name: 'Messages' });
  const [first, second] = within(thread).getAllByRole('listitem') as [HTMLElement, HTMLElement];
  expect(first).toHaveTextContent('YouBuyer');
  expect(first).toHaveTextContent('Offers $40,000');
  expect(second).toHaveTextContent('Would you take 41?');
  await user.type(screen.getByLabelText('Message'), 'Let me think');
  await user.click(screen.getByRole('button', { name: 'Send' }));
  await waitFor(() => expect(screen.getByLabelText('Message')).toHaveValue(''));
  expect(bodyOf('POST /api/marketplace/offers/o1/messages')).toEqual({ text: 'Let me think' });
  await user.click(screen.getByRole('button', { name: 'Counter-offer' }));
  const dialog = await screen.findByRole('dialog', { name: 'Counter-offer' });
  const price = within(dialog).getByLabelText('Price (US dollars)');
  await user.clear(price);
  await user.type(price, '42000');
  await user.click(within(dialog).getByRole('button', { name: 'Send counter-offer of $42,000' }));
  expect(await screen.findByText('Counter-offer sent')).toBeInTheDocument();
  expect(bodyOf('POST /api/marketplace/offers/o1/counter')).toEqual({ price: 42_000, text: '' });
});

test('a message that was begun is there again for its writer, until it is sent', async () => {
  signIn();
  serve(deal());
  server.use(
    http.post('/api/marketplace/offers/{id}/messages', () =>
      json({ id: 'o1', status: 'sent', escrowId: null }, { status: 201 }),
    ),
  );
  const before = renderApp('/marketplace/deals/o1');
  await before.user.type(await screen.findByLabelText('Message'), 'Let me');
  cleanup();
  const { user } = renderApp('/marketplace/deals/o1');
  expect(await screen.findByLabelText('Message')).toHaveValue('Let me');
  await user.type(screen.getByLabelText('Message'), ' think');
  await user.click(screen.getByRole('button', { name: 'Send' }));
  await waitFor(() => expect(screen.getByLabelText('Message')).toHaveValue(''));
  expect(bodyOf('POST /api/marketplace/offers/o1/messages')).toEqual({ text: 'Let me think' });
  expect(localStorage.getItem(`draft:${USER.id}:message-o1`)).toBeNull();
});

test('a long thread is read to its end', async () => {
  signIn();
  serve(deal());
  server.use(
    http.get('/api/marketplace/offers/{id}/messages', ({ request }) => {
      const page = Number(new URL(request.url).searchParams.get('cursor') ?? '1');
      const message: Message = {
        number: page,
        by: 'seller',
        authorName: 'Jón',
        isMine: false,
        text: `Words ${page}`,
        price: null,
        at: AT,
      };
      return json([message], { headers: page < 3 ? { Link: `</x?cursor=${page + 1}>; rel="next"` } : {} });
    }),
  );
  renderApp('/marketplace/deals/o1');
  expect(await screen.findByText('Words 3')).toBeInTheDocument();
  expect(screen.getAllByText(/^Words/).map((item) => item.textContent)).toEqual(['Words 1', 'Words 2', 'Words 3']);
});

test('a dispute needs words; the escrow shows where it stands', async () => {
  signIn();
  serve(inEscrow('funded', { next: 'wait_for_delivery' }));
  server.use(http.post('/api/marketplace/offers/{id}/escrow/dispute', () => json({ id: 'e1', status: 'disputed' })));
  const { user } = renderApp('/marketplace/deals/o1');
  const timeline = await screen.findByRole('list', { name: 'Escrow' });
  expect(within(timeline).getByText('Website transferred').closest('li')).toHaveAttribute('aria-current', 'step');
  await user.click(screen.getByRole('button', { name: 'Open a dispute' }));
  const dialog = await screen.findByRole('dialog', { name: 'Open a dispute?' });
  await user.click(within(dialog).getByRole('button', { name: 'Open a dispute' }));
  expect(within(dialog).getByText('Please enter a text')).toBeInTheDocument();
  await user.type(within(dialog).getByLabelText('What is different from the agreement?'), 'No answer');
  await user.click(within(dialog).getByRole('button', { name: 'Open a dispute' }));
  expect(await screen.findByText('Dispute opened')).toBeInTheDocument();
  expect(bodyOf('/escrow/dispute')).toEqual({ text: 'No answer' });
});

test('the deals of each side, and the words when there are none', async () => {
  signIn();
  server.use(
    http.get('/api/marketplace/my/offers', ({ request }) =>
      json(
        new URL(request.url).searchParams.get('side') === 'buyer' ? [deal({ turn: 'buyer', status: 'countered' })] : [],
      ),
    ),
  );
  const { user, router } = renderApp('/marketplace/deals');
  expect(await screen.findByRole('link', { name: 'VPN reviews' })).toHaveAttribute('href', '/marketplace/deals/o1');
  expect(screen.getByText('Your turn')).toBeInTheDocument();
  await user.click(screen.getByRole('tab', { name: 'Selling' }));
  expect(await screen.findByText('You have no offers yet.')).toBeInTheDocument();
  expect(router.state.location.search).toEqual({ side: 'seller' });
});

test('an admin approves the edition that was looked at, and rejects with a reason', async () => {
  signIn();
  const one = listingInFull({ status: 'in_review', edition: 7 });
  server.use(
    http.get('/api/admin/marketplace/listings', () => json([one])),
    http.get('/api/marketplace/listings/{id}', () => json(one)),
    http.get('/api/marketplace/listings/{id}/history', () => json([])),
    http.post('/api/admin/marketplace/listings/{id}/approve', () =>
      refuse(409, 'The seller has changed this listing. Please reload it.', 'changed_elsewhere'),
    ),
    http.post('/api/admin/marketplace/listings/{id}/reject', () =>
      json({ id: 'l1', status: 'rejected', edition: 7, images: [] }),
    ),
  );
  const { user } = renderApp('/admin/listings');
  await user.click(await screen.findByRole('button', { name: /^(Review|View) VPN reviews$/ }));
  await user.click(await screen.findByRole('button', { name: 'Approve' }));
  const approve = await screen.findByRole('dialog', { name: 'Approve this listing?' });
  await user.click(within(approve).getByRole('button', { name: 'Approve' }));
  expect(
    await within(approve).findByText('The seller has changed this listing. Please reload it.'),
  ).toBeInTheDocument();
  expect(bodyOf('/approve')).toEqual({ edition: 7 });
  await user.click(within(approve).getByRole('button', { name: 'Cancel' }));
  await user.click(screen.getByRole('button', { name: 'Reject' }));
  const reject = await screen.findByRole('dialog', { name: 'Reject this listing?' });
  await user.click(within(reject).getByRole('button', { name: 'Reject' }));
  expect(within(reject).getByText('Please give a reason')).toBeInTheDocument();
  await user.type(within(reject).getByLabelText('Reason'), 'The figures do not add up');
  await user.click(within(reject).getByRole('button', { name: 'Reject' }));
  expect(await screen.findByText('Listing rejected')).toBeInTheDocument();
  expect(bodyOf('/reject')).toEqual({ reason: 'The figures do not add up' });
});

test('an admin splits a disputed sum; the parts add up before it is sent', async () => {
  signIn();
  const dispute: Dispute = {
    offerId: 'o1',
    escrowId: 'e1',
    listingId: 'l1',
    status: 'disputed',
    isDirect: false,
    price: { amount: 4_000_000, currency: 'USD' },
    buyerName: 'Embla',
    sellerName: 'Jón',
    disputedBy: 'buyer',
    disputedAt: AT,
  };
  server.use(
    http.get('/api/admin/marketplace/disputes', () => json([dispute])),
    http.post('/api/admin/marketplace/offers/{id}/decide', () => json({ id: 'e1', status: 'disputed' })),
  );
  const { user } = renderApp('/admin/listings?tab=disputes');
  await user.click(await screen.findByRole('button', { name: 'Decide between Embla and Jón' }));
  const dialog = await screen.findByRole('dialog', { name: 'Decide this dispute' });
  await user.click(within(dialog).getByRole('radio', { name: 'Split: each side gets a part' }));
  const part = within(dialog).getByLabelText('To Jón (US dollars)');
  await user.type(part, '40000');
  await user.click(within(dialog).getByRole('button', { name: 'Decide' }));
  expect(within(dialog).getByText('Please enter whole dollars, less than $40,000')).toBeInTheDocument();
  await user.clear(part);
  await user.type(part, '30000');
  expect(within(dialog).getByText('Embla gets $10,000 back.')).toBeInTheDocument();
  await user.type(within(dialog).getByLabelText('Reason'), 'Half of it works');
  await user.click(within(dialog).getByRole('button', { name: 'Decide' }));
  expect(await screen.findByText('Dispute decided')).toBeInTheDocument();
  expect(bodyOf('/decide')).toEqual({ outcome: 'split', toSeller: 30_000, reason: 'Half of it works' });
});
