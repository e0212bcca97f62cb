import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { components } from '@/lib/api/schema';
import { renderApp, signIn } from '@/test/render';
import { http, json, refuse } from '@/test/http';
import { server, state } from '@/test/server';
import { ageOf, partsOf, pairOf, sendParts } from '../lib/exchange-rates';
import type { NewestRate, RatesStatus } from '../api/exchange-rates';

const PATH = '/api/admin/exchange-rates';
const AT = '2026-11-20T15:16:00Z';
const rate = (over: Partial<NewestRate> = {}): NewestRate => ({
  base: 'EUR',
  quote: 'USD',
  on: '2020-01-02',
  rate: '1.0825',
  recordedAt: AT,
  source: 'ecb',
  ...over,
});
let status: RatesStatus;
let rates: NewestRate[];

beforeEach(() => {
  signIn();
  status = { source: 'hand', check: null, waiting: [] };
  rates = [rate()];
  server.use(
    http.get(PATH, () => json(rates)),
    http.get(`${PATH}/status`, () => json(status)),
    http.get(`${PATH}/history`, () =>
      json([rate({ on: '2020-01-02' }), rate({ on: '2020-01-01', rate: '1.07', source: 'import' })]),
    ),
  );
});

test('the newest rates are listed with their source, old ones marked, and a pair has its history', async () => {
  const { user } = renderApp('/admin/exchange-rates');
  const table = await screen.findByRole('table', { name: 'Newest exchange rates' });
  expect(within(table).getAllByRole('row')[1]).toHaveTextContent(/EUR → USD1\.0825Jan 2, 2020 [\d,]+ days oldECB/);
  await user.click(screen.getByRole('button', { name: 'History of EUR to USD' }));
  const history = within(await screen.findByRole('dialog', { name: 'EUR → USD' }));
  expect((await history.findAllByRole('row')).map((row) => row.textContent)).toEqual([
    expect.stringContaining('From day'),
    expect.stringContaining('Jan 2, 20201.0825ECB'),
    expect.stringContaining('Jan 1, 20201.07CSV import'),
  ]);
  expect(history.getByText('Lowest 1.07, highest 1.0825')).toBeInTheDocument();
});

test('without any rate the page says what to do', async () => {
  rates = [];
  renderApp('/admin/exchange-rates');
  expect(await screen.findByText('No exchange rates yet')).toBeInTheDocument();
  expect(screen.getByText(/Nothing is fetched/)).toBeInTheDocument();
});

test('the source shows its failure, and waiting sales lead to the rate that they need', async () => {
  status = {
    source: 'ecb',
    check: {
      checkedAt: AT,
      succeededAt: null,
      newestDay: null,
      failures: 2,
      problem: 'There was no answer in time.',
      skipped: ['XXQ'],
      nextAt: AT,
    },
    waiting: [
      {
        currency: 'ZAR',
        quote: 'THB',
        sales: 2,
        amount: { amount: 10_000, currency: 'ZAR' },
        since: AT,
        transactions: ['Z-1', 'Z-2'],
        websites: 1,
      },
    ],
  };
  server.use(
    http.post(PATH, async ({ request }) => {
      const body = (await request.json()) as components['schemas']['ExchangeRate'];
      const message = 'A rate is a decimal number above 0.';
      return body.rate === '0'
        ? refuse(400, message, 'bad_rate', [{ field: 'rate', message }])
        : json({ ...body, rate: '1.9' }, { status: 201 });
    }),
  );
  const { user } = renderApp('/admin/exchange-rates');
  expect(await screen.findByRole('alert')).toHaveTextContent('2 checks failed: There was no answer in time.');
  expect(screen.getByText('Left out of the file: XXQ.')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Add rate for ZAR to THB' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Add rate' }));
  expect(dialog.getByLabelText('From currency')).toHaveValue('ZAR');
  expect(dialog.getByLabelText('To currency')).toHaveValue('THB');
  await user.type(dialog.getByLabelText('Rate'), '0');
  await user.click(dialog.getByRole('button', { name: 'Add rate' }));
  expect(await dialog.findByText('A rate is a decimal number above 0.')).toBeInTheDocument();
  expect(dialog.getByLabelText('Rate')).toBeInvalid();
  await user.clear(dialog.getByLabelText('Rate'));
  await user.type(dialog.getByLabelText('Rate'), '1,9');
  await user.click(dialog.getByRole('button', { name: 'Add rate' }));
  expect(await screen.findByText('1 ZAR = 1.9 THB')).toBeInTheDocument();
  expect(state.seen.filter((item) => item.line === `POST ${PATH}`).at(-1)?.body).toMatchObject({
    base: 'ZAR',
    quote: 'THB',
    rate: '1.9',
  });
});

test('a file is previewed line by line, then imported', async () => {
  server.use(
    http.post(`${PATH}/import`, async ({ request }) => {
      const { dryRun } = (await request.json()) as { dryRun: boolean };
      return json({
        lines: [
          { line: 2, outcome: 'new', base: 'EUR', quote: 'USD', rate: '1.1', on: '2026-11-20', message: null },
          { line: 3, outcome: 'rejected', message: 'ZZZ is not an ISO 4217 currency.' },
        ],
        new: 1,
        changed: 0,
        unchanged: 0,
        rejected: 1,
        applied: !dryRun,
      });
    }),
  );
  const { user } = renderApp('/admin/exchange-rates');
  await user.click(await screen.findByRole('button', { name: 'Import CSV' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByRole('button', { name: 'Import' })).toBeDisabled();
  await user.type(dialog.getByLabelText('Or paste it here'), 'base,quote,rate,on');
  await user.click(dialog.getByRole('button', { name: 'Check the file' }));
  expect(await dialog.findByText('1 new, 0 changed, 0 unchanged, 1 rejected.')).toBeInTheDocument();
  const rows = within(dialog.getByRole('table', { name: 'Preview' })).getAllByRole('row');
  expect(rows[1]).toHaveTextContent('3RejectedZZZ is not an ISO 4217 currency.');
  expect(rows[2]).toHaveTextContent('2New1 EUR = 1.1 USD from Nov 20, 2026');
  await user.click(dialog.getByRole('button', { name: 'Import' }));
  expect(await screen.findByText('Exchange rates imported', { exact: true })).toBeInTheDocument();
});

test('a long file is sent in parts, and its lines keep their numbers', async () => {
  const csv = ['base,quote,rate,on', ...Array.from({ length: 1_200 }, (_, n) => `EUR,USD,1.${n},2020-01-01`)].join(
    '\r\n',
  );
  const parts = partsOf(csv);
  expect(parts.map((part) => [part.before, part.csv.split('\n').length])).toEqual([
    [0, 501],
    [500, 501],
    [1000, 201],
  ]);
  const shares: number[] = [];
  const found = await sendParts(
    csv,
    (part) =>
      Promise.resolve({
        lines: [{ line: 2, outcome: 'rejected', message: part.split('\n')[1] ?? '' }],
        new: part.split('\n').length - 2,
        changed: 0,
        unchanged: 0,
        rejected: 1,
      }),
    (share) => shares.push(share),
  );
  expect(found.lines.map((line) => [line.line, line.message])).toEqual([
    [2, 'EUR,USD,1.0,2020-01-01'],
    [502, 'EUR,USD,1.500,2020-01-01'],
    [1002, 'EUR,USD,1.1000,2020-01-01'],
  ]);
  expect([found.new, found.rejected, shares.at(-1)]).toEqual([1_197, 3, 1]);
});

test('the age of a rate, and a pair in the address', () => {
  expect(ageOf('2026-11-20', '2026-11-20')).toEqual({ text: 'Today', old: false });
  expect(ageOf('2026-11-12', '2026-11-20')).toEqual({ text: '8 days old', old: true });
  expect(ageOf('2026-12-01', '2026-11-20')).toEqual({ text: 'Not in force yet', old: false });
  expect(pairOf('ZAR-THB')).toEqual({ base: 'ZAR', quote: 'THB' });
  expect(pairOf('-THB')).toEqual({ base: '', quote: 'THB' });
  expect([pairOf('zar-thb'), pairOf(undefined), pairOf('ZARTHB')]).toEqual([null, null, null]);
});

test("the owner's conversions name the sales that wait", async () => {
  server.use(
    http.get('/api/platform/conversions/awaiting-rate', () =>
      json([
        {
          currency: 'SEK',
          quote: 'USD',
          sales: 7,
          amount: { amount: 10_000, currency: 'SEK' },
          since: AT,
          transactions: ['A', 'B'],
          websites: 1,
        },
      ]),
    ),
  );
  renderApp('/conversions');
  const notice = await screen.findByRole('region', { name: 'Waiting for an exchange rate' });
  expect(notice).toHaveTextContent(/7 sales, SEK\s100\.00, since Nov 20.*no rate from SEK to USD/);
  expect(notice).toHaveTextContent('Transactions: A, B and 5 more');
});

test('the admin totals are in a chosen currency; what has no rate leads to adding it', async () => {
  const asked: (string | null)[] = [];
  const ofPartners: (string | null)[] = [];
  server.use(
    http.get('/api/admin/partners/performance', ({ request }) => {
      ofPartners.push(new URL(request.url).searchParams.get('currency'));
      return json([]);
    }),
    http.get('/api/admin/analytics', ({ request }) => {
      const currency = new URL(request.url).searchParams.get('currency');
      asked.push(currency);
      return json({
        totalClicks: 1,
        totalConversions: 1,
        conversionRate: 1,
        totalRevenue: 10,
        currency: currency ?? 'USD',
        rates: [{ currency: 'SEK', rate: '0.0951', on: '2026-11-20' }],
        notConverted: [{ amount: 1_539_549, currency: 'THB' }],
      });
    }),
  );
  const { user } = renderApp('/admin');
  const card = within(await screen.findByTestId('stat-Revenue'));
  expect(await card.findByText('1 SEK = 0.0951 USD, Nov 20, 2026')).toBeInTheDocument();
  expect(card.getByText(/Without THB\s15,395\.49: no rate from THB to USD/)).toBeInTheDocument();
  expect(card.getByRole('link', { name: 'Add rate' })).toHaveAttribute('href', '/admin/exchange-rates?add=THB-USD');
  await user.selectOptions(screen.getByLabelText('Currency of the totals'), 'EUR');
  expect(await card.findByText('€10.00')).toBeInTheDocument();
  expect(asked).toEqual([null, 'EUR']);
  expect(localStorage.getItem('adminCurrency')).toBe('EUR');
  await user.click(screen.getByRole('tab', { name: 'Partners' }));
  await waitFor(() => expect(ofPartners).toEqual(['EUR']));
  localStorage.removeItem('adminCurrency');
});
