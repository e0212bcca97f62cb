import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { AccountantOverview, Balances, PartnerBalance, Payout } from '@/features/conversions/api/payouts';
import { website } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { http, json, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';

const aged = { days0to30: 9000, days31to60: 0, days61to90: 0, over90: 3000 };
const owing: PartnerBalance = {
  partnerId: 'p1',
  partnerName: 'NordVPN',
  payable: 20_000,
  held: 500,
  paid: 8000,
  owed: 12_000,
  credit: 0,
  aged,
  months: [
    { month: '2026-07', payable: 11_000, paid: 8000 },
    { month: '2026-11', payable: 9000, paid: 0 },
  ],
};
const balances = (over: Partial<Balances> = {}): Balances => ({
  currency: 'USD',
  timezone: 'UTC',
  at: '2026-11-24T12:00:00Z',
  payable: 20_000,
  held: 500,
  paid: 8000,
  owed: 12_000,
  credit: 0,
  aged,
  partners: [owing],
  ...over,
});
const payout = (over: Partial<Payout> = {}): Payout => ({
  id: 'x1',
  websiteId: 'w1',
  partnerId: 'p1',
  partnerName: 'NordVPN',
  amount: { amount: 8000, currency: 'USD' },
  credited: { amount: 8000, currency: 'USD' },
  paidOn: '2026-11-10',
  reference: 'PAY-7',
  allocations: [],
  recordedAt: '2026-11-11T09:00:00Z',
  correctedAt: null,
  voidedAt: null,
  reason: '',
  hasFile: true,
  ...over,
});
const sent = (path: string) => state.seen.filter((item) => item.line === `POST ${path}`).map((item) => item.body);
const accepting = (
  path: '/api/platform/payouts' | '/api/platform/payouts/{id}/correct' | '/api/platform/payouts/{id}/void',
) => http.post(path, () => json({ ...payout(), voided: false }, { status: 201 }));

beforeEach(() => {
  signIn();
  server.use(
    http.get('/api/platform/payouts/balances', () => json(balances())),
    http.get('/api/platform/payouts', () => json([payout()])),
  );
});

test('what every partner owes is shown with its age, and what was paid below', async () => {
  renderApp('/payouts');
  const table = await screen.findByRole('table', { name: 'Balances table' });
  expect(within(table).getAllByRole('row')[1]).toHaveTextContent(
    'NordVPN$200.00$80.00$120.00$90.00––$30.00$5.00–Record payout',
  );
  expect(screen.getByLabelText('All partners')).toHaveTextContent('Owed$120.00');
  const paid = await screen.findByRole('table', { name: 'Payouts table' });
  expect(within(paid).getAllByRole('row')[1]).toHaveTextContent(
    'Nov 10, 2026NordVPNPAY-7Oldest open months$80.00Recorded',
  );
  expect(screen.getByRole('link', { name: /^Download the file of the payout of NordVPN/ })).toHaveAttribute(
    'href',
    '/api/platform/payouts/x1/file',
  );
});

test('a debt is marked as paid: the amount that is owed is offered, and settles the oldest months', async () => {
  server.use(accepting('/api/platform/payouts'));
  const { user } = renderApp('/payouts');
  await user.click(await screen.findByRole('button', { name: 'Record payout of NordVPN' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Record payout' }));
  expect(dialog.getByText('Owed: $120.00')).toBeInTheDocument();
  expect(dialog.getByLabelText('Amount')).toHaveValue('120.00');
  await user.type(dialog.getByLabelText('Reference (optional)'), ' PAY-8 ');
  await user.click(dialog.getByRole('button', { name: 'Record payout' }));
  expect(await screen.findByText('Payout recorded', { exact: true })).toBeInTheDocument();
  expect(sent('/api/platform/payouts')).toEqual([
    {
      websiteId: 'w1',
      partnerId: 'p1',
      amount: { amount: 12_000, currency: 'USD' },
      paidOn: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string,
      reference: 'PAY-8',
    },
  ]);
});

test('a payout is matched to months by hand, never to more than was paid', async () => {
  server.use(accepting('/api/platform/payouts'));
  const { user } = renderApp('/payouts');
  await user.click(await screen.findByRole('button', { name: 'Record payout of NordVPN' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Record payout' }));
  await user.clear(dialog.getByLabelText('Amount'));
  await user.type(dialog.getByLabelText('Amount'), '50.01');
  await user.click(dialog.getByRole('radio', { name: 'Months I choose' }));
  expect(dialog.getByText('$30.00 open')).toBeInTheDocument();
  const november = dialog.getByLabelText('Amount for Nov 2026');
  await user.type(november, '50.02');
  await user.click(dialog.getByRole('button', { name: 'Record payout' }));
  expect(dialog.getByText('The months add up to more than the payout')).toBeInTheDocument();
  expect(requests('POST')).toEqual([]);
  await user.clear(november);
  await user.type(november, '20.00');
  await user.click(dialog.getByRole('button', { name: 'Record payout' }));
  await waitFor(() =>
    expect(sent('/api/platform/payouts')[0]).toMatchObject({
      amount: { amount: 5001, currency: 'USD' },
      allocations: [{ month: '2026-11', amount: 2000 }],
    }),
  );
});

test('one that was paid in another currency says what it settles', async () => {
  server.use(accepting('/api/platform/payouts'));
  const { user } = renderApp('/payouts');
  await user.click(await screen.findByRole('button', { name: 'Record payout of NordVPN' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Record payout' }));
  await user.selectOptions(dialog.getByLabelText('Currency'), 'EUR');
  await user.click(dialog.getByRole('button', { name: 'Record payout' }));
  expect(dialog.getByText('Please enter the value in USD')).toBeInTheDocument();
  await user.type(dialog.getByLabelText('Value in USD'), '129.99');
  await user.click(dialog.getByRole('button', { name: 'Record payout' }));
  await waitFor(() =>
    expect(sent('/api/platform/payouts')[0]).toMatchObject({
      amount: { amount: 12_000, currency: 'EUR' },
      credited: 12_999,
    }),
  );
});

test('a payout is corrected or voided with a reason, never edited', async () => {
  server.use(accepting('/api/platform/payouts/{id}/correct'), accepting('/api/platform/payouts/{id}/void'));
  const { user } = renderApp('/payouts');
  await user.click(await screen.findByRole('button', { name: /^Correct the payout/ }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Correct payout' }));
  expect(dialog.getByLabelText('Partner')).toBeDisabled();
  await user.clear(dialog.getByLabelText('Amount'));
  await user.type(dialog.getByLabelText('Amount'), '75');
  await user.click(dialog.getByRole('button', { name: 'Correct payout' }));
  expect(dialog.getByText('Please give a reason')).toBeInTheDocument();
  await user.type(dialog.getByLabelText('Reason'), 'Bank fee');
  await user.click(dialog.getByRole('button', { name: 'Correct payout' }));
  await waitFor(() =>
    expect(sent('/api/platform/payouts/x1/correct')).toEqual([
      { amount: { amount: 7500, currency: 'USD' }, paidOn: '2026-11-10', reference: 'PAY-7', reason: 'Bank fee' },
    ]),
  );
  await user.click(screen.getByRole('button', { name: /^Void the payout/ }));
  const voiding = within(await screen.findByRole('dialog', { name: 'Void payout' }));
  await user.click(voiding.getByRole('button', { name: 'Void payout' }));
  expect(voiding.getByText('Please give a reason')).toBeInTheDocument();
  await user.type(voiding.getByLabelText('Reason'), 'Bounced');
  await user.click(voiding.getByRole('button', { name: 'Void payout' }));
  await waitFor(() => expect(sent('/api/platform/payouts/x1/void')).toEqual([{ reason: 'Bounced' }]));
});

test('a voided one stays in the list and can no longer be changed', async () => {
  server.use(
    http.get('/api/platform/payouts', () =>
      json([payout({ voidedAt: '2026-11-12T00:00:00Z', reason: 'Bounced', hasFile: false })]),
    ),
  );
  renderApp('/payouts');
  expect(await screen.findByText('Voided')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: /^Correct the payout/ })).not.toBeInTheDocument();
});

const accountant = (over: Partial<AccountantOverview['months'][number]> = {}): AccountantOverview => ({
  websites: 2,
  currency: null,
  months: [
    {
      month: '2026-08',
      totals: [
        {
          currency: 'USD',
          lines: 1,
          entries: 3,
          approved: 30_000,
          reversed: 1000,
          adjustments: 500,
          exchangeDifference: 0,
          closing: 28_500,
          paid: 8000,
          open: 20_500,
        },
      ],
      notConverted: [],
      ...over,
    },
  ],
});
const files = async () => within(await screen.findByRole('region', { name: 'For the accountant' }));

test('the accountant’s files say what is in them, and one without anything says so', async () => {
  server.use(http.get('/api/platform/accountant-file', () => json(accountant())));
  renderApp('/payouts');
  const card = await files();
  expect(await card.findAllByText('$285.00 earned, $80.00 paid')).toHaveLength(2);
  expect(card.getByText('Nothing booked or paid')).toBeInTheDocument();
  expect(card.getByRole('link', { name: 'Download CSV of Oct 2026' })).toHaveAttribute(
    'href',
    '/api/platform/statements.csv?month=2026-10',
  );
  expect(card.getByRole('link', { name: 'Download CSV of Q3 2026' })).toHaveAttribute(
    'href',
    '/api/platform/statements.csv?month=2026-07&until=2026-09',
  );
});

test('they are in one currency and of some websites if wanted, and name what has no rate', async () => {
  state.websites = [website({ id: 'w1', domain: 'a.is' }), website({ id: 'w2', domain: 'b.is', currency: 'ISK' })];
  const notConverted = [{ lines: 2, earned: { amount: 12, currency: 'ISK' }, lacking: '2026-08-03' }];
  server.use(http.get('/api/platform/accountant-file', () => json(accountant({ notConverted }))));
  const { user } = renderApp('/payouts');
  const card = await files();
  await user.click(card.getByRole('button', { name: 'EUR' }));
  await user.click(card.getByRole('button', { name: 'All websites' }));
  await user.click(within(await screen.findByRole('dialog', { name: 'Websites' })).getByLabelText('b.is'));
  await user.keyboard('{Escape}');
  expect(await card.findAllByText('2 lines stay in ISK: no exchange rate on Aug 3, 2026.')).toHaveLength(2);
  expect(card.getByRole('link', { name: 'Download PDF of Q3 2026' })).toHaveAttribute(
    'href',
    '/api/platform/statements.pdf?month=2026-07&until=2026-09&websiteId=w2&currency=EUR',
  );
});

test('empty and failing pages have words', async () => {
  server.use(
    http.get('/api/platform/payouts/balances', () => json(balances({ partners: [] }))),
    http.get('/api/platform/payouts', () => refuse(500, 'Broken'), { once: true }),
    http.get('/api/platform/payouts', () => json([])),
  );
  const { user } = renderApp('/payouts');
  expect(await screen.findByText('No commissions have been approved yet.')).toBeInTheDocument();
  expect(await screen.findByText('Error loading payouts: Broken')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText(/^No payouts recorded yet/)).toBeInTheDocument();
});
