import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { USER, website } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { http, json } from '@/test/http';
import { requests, server, state } from '@/test/server';

const three = () => [
  website(),
  website({ id: 'w2', domain: 'second.example' }),
  website({ id: 'w3', domain: 'drei.example', currency: 'EUR' }),
];
const order = async () => {
  const table = await screen.findByRole('region', { name: 'List of websites' });
  return within(table)
    .getAllByRole('link')
    .map((link) => link.textContent);
};

async function signInByForm() {
  server.use(http.post('/api/platform/login', () => json({ requires2FA: false, token: 't', user: USER })));
  const { router, user } = renderApp('/login');
  await user.type(await screen.findByLabelText('Email'), 'ada@example.com');
  await user.type(screen.getByLabelText('Password'), 'long-enough');
  await user.click(screen.getByRole('button', { name: 'Sign In' }));
  return router;
}

test('today’s earnings of three websites: no click after signing in', async () => {
  state.websites = three();
  const router = await signInByForm();
  await waitFor(() => expect(router.state.location.pathname).toBe('/websites'));
  await waitFor(() => expect(screen.getByTestId('total-today')).toHaveTextContent('$30.00'));
  expect(screen.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeInTheDocument();
});

test('with one website the dashboard is the start', async () => {
  const router = await signInByForm();
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'));
});

test('the dashboard’s address leads to all websites, unless it names one', async () => {
  signIn();
  state.websites = three();
  localStorage.setItem('scope:u1', JSON.stringify({ website: 'w2' }));
  const { router, user } = renderApp('/dashboard');
  await waitFor(() => expect(router.state.location.href).toBe('/websites'));
  await user.click(await screen.findByRole('link', { name: 'second.example' }));
  await waitFor(() => expect(router.state.location.href).toBe('/dashboard?website=w2'));
  await user.selectOptions(await screen.findByLabelText('Website'), 'All websites');
  await waitFor(() => expect(router.state.location.href).toBe('/websites'));
});

test('rows are sorted, found, and lead to the dashboard of their website', async () => {
  signIn();
  state.websites = three();
  const { router, user } = renderApp('/websites');
  // Revenue without a rate cannot be compared: it comes last.
  expect(await order()).toEqual(['second.example', 'vpnreview.is', 'drei.example']);
  await user.selectOptions(screen.getByRole('combobox', { name: 'Metric' }), 'Clicks');
  expect(await order()).toEqual(['drei.example', 'second.example', 'vpnreview.is']);
  await user.click(
    within(screen.getByRole('columnheader', { name: 'This month' })).getByRole('button', { name: 'This month' }),
  );
  expect(await order()).toEqual(['vpnreview.is', 'second.example', 'drei.example']);
  expect(screen.getByRole('columnheader', { name: 'This month' })).toHaveAttribute('aria-sort', 'ascending');
  await user.type(screen.getByRole('searchbox', { name: 'Search websites' }), 'SECOND');
  expect(await order()).toEqual(['second.example']);
  await user.click(screen.getByRole('link', { name: 'second.example' }));
  await waitFor(() => expect(router.state.location.href).toBe('/dashboard?website=w2'));
});

test('each total is compared in money with the same part of the period before', async () => {
  signIn();
  state.websites = three();
  renderApp('/websites');
  const today = (await screen.findByTestId('total-today')).parentElement;
  await waitFor(() => expect(today).toHaveTextContent('Today$30.00+$20.00vs Friday, Nov 13+ €30.00'));
});

test('a currency without a rate is named and apart; another currency is requested', async () => {
  signIn();
  state.websites = three();
  const { user } = renderApp('/websites');
  expect(
    await screen.findByText(
      'Not in the totals of this quarter: €30.00 of 2 conversions: no exchange rate on Nov 20, 2026.',
    ),
  ).toBeInTheDocument();
  expect(screen.getAllByText('+ €30.00')).toHaveLength(5);
  await user.click(within(screen.getByRole('group', { name: 'Currency' })).getByRole('button', { name: 'EUR' }));
  await waitFor(() => expect(requests('GET /api/platform/websites/summary').at(-1)).toContain('currency=EUR'));
  await waitFor(() => expect(screen.getByTestId('total-today')).toHaveTextContent('€30.00'));
});

test('the cause of a change is one click away, compared in the same way', async () => {
  signIn();
  state.websites = three();
  const { router, user } = renderApp('/websites');
  const card = within(await screen.findByRole('region', { name: 'Biggest changes' }));
  await user.click(await card.findByRole('button', { name: 'Yesterday' }));
  await waitFor(() => expect(requests('GET /api/platform/websites/movers').at(-1)).toContain('period=yesterday'));
  const row = (await card.findByRole('link', { name: 'NordVPN' })).closest('tr');
  expect(row).toHaveTextContent('NordVPNvpnreview.is−$437.00$155.75was $592.757was 22');
  await user.click(card.getByRole('link', { name: 'NordVPN' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/analytics'));
  expect(router.state.location.search).toMatchObject({
    website: 'w1',
    range: 'yesterday',
    weekdays: 'match',
    metric: 'revenue',
    f: 'is,partner,p1',
  });
});

test('what waits for a decision and what is overdue lead to where it is done', async () => {
  signIn();
  state.websites = three();
  renderApp('/websites');
  const card = within(await screen.findByRole('region', { name: 'Waiting for you' }));
  expect(await card.findByText('3 conversions')).toBeInTheDocument();
  expect(card.getByText('1 partner of 2 that owe $200.00')).toBeInTheDocument();
  expect(card.getByRole('link', { name: 'Pending conversions of vpnreview.is: $42.00 · 3' })).toHaveAttribute(
    'href',
    '/conversions?website=w1&status=pending',
  );
  expect(card.getByRole('link', { name: 'Payouts owed to vpnreview.is: $30.00' })).toHaveAttribute(
    'href',
    '/payouts?website=w1',
  );
});

test('without a website: the words of the specification', async () => {
  signIn();
  state.websites = [];
  renderApp('/websites');
  expect(await screen.findByText('No Websites Found')).toBeInTheDocument();
});
