import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { Cost } from '@/features/costs/api/costs';
import type { CampaignProfit } from '@/features/costs/api/profit';
import { breakdown, link } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { server, state } from '@/test/server';

const cost = (over: Partial<Cost> = {}): Cost => ({
  id: 'e1',
  websiteId: 'w1',
  from: '2026-11-01',
  to: '2026-11-30',
  source: 'google',
  campaign: 'spring',
  term: null,
  content: null,
  link: null,
  placement: null,
  amount: { amount: 31_000, currency: 'EUR' },
  worth: { amount: 34_100, currency: 'USD' },
  rate: '1.1',
  note: 'Invoice 17',
  ...over,
});
const sent = (line: string) => state.seen.filter((item) => item.line === line).map((item) => item.body);

beforeEach(() => {
  signIn();
  server.use(
    http.get('/api/platform/costs', () => json([cost()])),
    http.get('/api/platform/costs/imports', () => json([])),
  );
});

test('what was entered is listed with its days, its traffic and what it is worth', async () => {
  renderApp('/payouts/costs');
  const table = await screen.findByRole('table', { name: 'Costs table' });
  expect(within(table).getAllByRole('row')[1]).toHaveTextContent(
    'Nov 1, 2026 – Nov 30, 2026google · springInvoice 17€310.00= $341.00',
  );
});

test('campaigns that cost something are shown, the largest loss first', async () => {
  const [first] = breakdown(new URLSearchParams('by=utm_campaign')).rows as [CampaignProfit];
  const row = (label: string, cost: number, revenue: number) => ({
    ...first,
    label,
    cost,
    revenue,
    profit: revenue - cost,
    roi: cost ? ((revenue - cost) / cost) * 100 : null,
  });
  const asked: string[] = [];
  server.use(
    http.get('/api/platform/analytics/breakdown', ({ request }) => {
      asked.push(new URL(request.url).search);
      const rows = [row('winter', 300, 120), row('organic', 0, 5), row('spring', 100, 150)];
      return json({ ...breakdown(new URLSearchParams('by=utm_campaign')), rows });
    }),
  );
  renderApp('/payouts/costs');
  const table = await screen.findByRole('table', { name: 'Profit by campaign table' });
  expect(
    within(table)
      .getAllByRole('row')
      .slice(1)
      .map((one) => one.textContent),
  ).toEqual(['winter900$300.00$120.00-$180.00-60%', 'spring900$100.00$150.00$50.0050%']);
  expect(asked[0]).toMatch(/sort=profit/);
});

test('a cost is added with the traffic that it paid for; a refund says what it is', async () => {
  server.use(
    http.get('/api/platform/costs', () => json([])),
    http.post('/api/platform/costs', () => json(cost(), { status: 201 })),
  );
  const { user } = renderApp('/payouts/costs');
  expect(await screen.findByText(/^No costs yet/)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Add cost' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Add cost' }));
  await user.type(dialog.getByLabelText('Amount'), '-25.50');
  await user.type(dialog.getByLabelText('Campaign (optional)'), 'spring');
  await user.selectOptions(
    await dialog.findByLabelText('Link (optional)'),
    await dialog.findByRole('option', { name: link().slug }),
  );
  await user.click(dialog.getByRole('button', { name: 'Add cost' }));
  expect(await dialog.findByText('Please say what the refund or credit is for')).toBeInTheDocument();
  await user.type(dialog.getByLabelText('Note (optional)'), 'Refund of October');
  await user.click(dialog.getByRole('button', { name: 'Add cost' }));
  expect(await screen.findByText('Cost added', { exact: true })).toBeInTheDocument();
  const day = expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string;
  const none = { source: null, term: null, content: null, placement: null, link: link().id };
  expect(sent('POST /api/platform/costs')).toEqual([
    {
      websiteId: 'w1',
      from: day,
      to: day,
      amount: { amount: -2550, currency: 'USD' },
      campaign: 'spring',
      note: 'Refund of October',
      ...none,
    },
  ]);
});

test('a change is sent whole, and what the server refuses shows at its field', async () => {
  server.use(
    http.patch('/api/platform/costs/{id}', () =>
      refuse(400, 'There is no exchange rate from EUR to USD for 2026-11-01.', 'currency_unknown', [
        { field: 'amount', message: 'There is no exchange rate from EUR to USD for 2026-11-01.' },
      ]),
    ),
  );
  const { user } = renderApp('/payouts/costs');
  await user.click(await screen.findByRole('button', { name: /^Change €310.00 for google/ }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Change cost' }));
  expect(dialog.getByLabelText('Amount')).toHaveValue('310.00');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await dialog.findByText(/^There is no exchange rate/)).toBeInTheDocument();
});

test('a removed cost can be restored', async () => {
  server.use(
    http.delete('/api/platform/costs/{id}', () => noContent()),
    http.post('/api/platform/costs/{id}/restore', () => json(cost())),
  );
  const { user } = renderApp('/payouts/costs');
  await user.click(await screen.findByRole('button', { name: /^Remove €310.00 for google/ }));
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(await screen.findByText('Cost restored', { exact: true })).toBeInTheDocument();
});
