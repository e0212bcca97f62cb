import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type {
  ReconciledPartner,
  Reconciliation,
  ReconciliationDifference,
  ReconciliationMonth,
  ReconciliationOverview,
} from '@/features/conversions/api/reconciliation';
import { watchCopies } from '@/test/clipboard';
import { renderApp, signIn } from '@/test/render';
import { http, json, raw, refuse } from '@/test/http';
import { server, state } from '@/test/server';

const MONTH = '/payouts/reconciliation?website=w1&partner=p1&month=2026-10';
const usd = (amount: number) => ({ amount, currency: 'USD' });

const month = (over: Partial<ReconciliationMonth> = {}): ReconciliationMonth => ({
  month: '2026-10',
  tracked: usd(10_600),
  reported: usd(10_000),
  paid: usd(9_000),
  notDue: usd(0),
  open: usd(1_000),
  since: '2026-11-01',
  differenceCount: 2,
  state: 'open',
  isAccepted: false,
  fingerprint: 'ab'.repeat(32),
  ...over,
});

const lost: ReconciliationDifference = {
  reason: 'not_reported',
  transaction: 'ORDER-7',
  conversionId: 'c7',
  tracked: usd(600),
  reported: null,
  paid: null,
  amount: usd(600),
  trackedMonth: '2026-10',
  reportedMonth: null,
};
const short: ReconciliationDifference = {
  ...lost,
  reason: 'paid_short',
  transaction: null,
  conversionId: null,
  tracked: null,
  reported: usd(10_000),
  paid: usd(9_000),
  amount: usd(1_000),
  trackedMonth: null,
};

const detail = (over: Partial<Reconciliation> = {}): Reconciliation => ({
  ...month(),
  websiteId: 'w1',
  partnerId: 'p1',
  partnerName: 'Good VPN',
  timezone: 'UTC',
  differences: [lost, short],
  ...over,
});

const partner = (over: Partial<ReconciledPartner> = {}): ReconciledPartner => ({
  partnerId: 'p1',
  partnerName: 'Good VPN',
  open: usd(1_000),
  since: '2026-11-01',
  aged: { days0to30: 1_000, days31to60: 0, days61to90: 0, over90: 0 },
  notDue: usd(0),
  disputed: usd(600),
  openMonths: 1,
  months: [month()],
  ...over,
});

const overview = (...partners: ReconciledPartner[]): ReconciliationOverview => ({
  websiteId: 'w1',
  currency: 'USD',
  timezone: 'UTC',
  at: '2026-11-20T12:00:00Z',
  open: usd(1_000),
  partners,
});
const sent = (line: string) => state.seen.filter((item) => item.line === line).map((item) => item.body);

beforeEach(() => {
  signIn();
  server.use(http.get('/api/platform/reconciliation', () => json(detail())));
});

test('partners are listed with what they owe, since when, and a link to each open month', async () => {
  const agreed = partner({ partnerId: 'p2', partnerName: 'Fast Host', open: usd(0), since: null, months: [] });
  server.use(http.get('/api/platform/reconciliation/partners', () => json(overview(partner(), agreed))));
  const { user } = renderApp('/payouts/reconciliation?website=w1');
  const table = await screen.findByRole('table', { name: 'Partners to reconcile' });
  const [, first, second] = within(table).getAllByRole('row');
  expect(first).toHaveTextContent('Good VPN$10.00Nov 1, 2026$6.00$0.00Oct 2026');
  expect(second).toHaveTextContent('Fast Host$0.00–');
  expect(second).toHaveTextContent('Agreed');
  await user.click(within(table).getByRole('link', { name: 'Reconcile Good VPN, Oct 2026' }));
  expect(await screen.findByRole('heading', { name: 'Good VPN, Oct 2026' })).toBeInTheDocument();
});

test('a month has its sums and its differences down to the transactions', async () => {
  renderApp(MONTH);
  const table = await screen.findByRole('table', { name: 'Differences' });
  const [, first, second] = within(table).getAllByRole('row');
  expect(first).toHaveTextContent('Not reportedORDER-7$6.00––$6.00');
  expect(second).toHaveTextContent('Paid shortPayouts of the month–$100.00$90.00$10.00');
  const sums = screen.getByLabelText('Sums of the month');
  expect(sums).toHaveTextContent('Tracked$106.00Reported$100.00Paid$90.00');
  expect(sums).toHaveTextContent('StateOpenDue sinceNov 1, 2026');
  expect(screen.getByRole('link', { name: 'Download CSV' })).toHaveAttribute(
    'href',
    '/api/platform/reconciliation.csv?websiteId=w1&partnerId=p1&month=2026-10',
  );
});

test('the text for the partner is copied', async () => {
  const copies = watchCopies();
  server.use(
    http.get('/api/platform/reconciliation.txt', () =>
      raw('Reconciliation 2026-10', { headers: { 'Content-Type': 'text/plain' } }),
    ),
  );
  const { user } = renderApp(MONTH);
  await user.click(await screen.findByRole('button', { name: 'Copy text' }));
  await waitFor(() => expect(copies).toEqual(['Reconciliation 2026-10']));
});

test('differences are accepted as they are shown, and the month is reopened', async () => {
  let accepted = false;
  server.use(
    http.get('/api/platform/reconciliation', () => json(detail(accepted ? { state: 'agreed', isAccepted: true } : {}))),
    http.post('/api/platform/reconciliation/accept', () => {
      accepted = true;
      return json({ websiteId: 'w1', partnerId: 'p1', month: '2026-10', fingerprint: 'ab'.repeat(32) });
    }),
    http.post('/api/platform/reconciliation/reopen', () => {
      accepted = false;
      return json({ websiteId: 'w1', partnerId: 'p1', month: '2026-10', fingerprint: null });
    }),
  );
  const { user } = renderApp(MONTH);
  await user.click(await screen.findByRole('button', { name: 'Accept differences' }));
  expect(await screen.findByText('Accepted')).toBeInTheDocument();
  expect(sent('POST /api/platform/reconciliation/accept')).toEqual([
    { websiteId: 'w1', partnerId: 'p1', month: '2026-10', fingerprint: 'ab'.repeat(32) },
  ]);
  await user.click(screen.getByRole('button', { name: 'Reopen' }));
  expect(await screen.findByRole('button', { name: 'Accept differences' })).toBeInTheDocument();
});

test('a month without a report says so, and one that agrees has nothing to accept', async () => {
  const clean = { differences: [], differenceCount: 0, open: usd(0), since: null, state: 'agreed' as const };
  server.use(http.get('/api/platform/reconciliation', () => json(detail({ ...clean, reported: null }))));
  renderApp(MONTH);
  expect(await screen.findByText('Everything agrees.')).toBeInTheDocument();
  expect(screen.getByLabelText('Sums of the month')).toHaveTextContent('ReportedNo report');
  expect(screen.queryByRole('button', { name: 'Accept differences' })).not.toBeInTheDocument();
});

test('what cannot be loaded can be tried again', async () => {
  server.use(
    http.get('/api/platform/reconciliation/partners', () => refuse(500, 'Broken'), { once: true }),
    http.get('/api/platform/reconciliation/partners', () => json(overview())),
  );
  const { user } = renderApp('/payouts/reconciliation');
  expect(await screen.findByText(/Error loading reconciliation/)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: /try again/i }));
  expect(await screen.findByText('No sales or payouts of a partner yet.')).toBeInTheDocument();
});
