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
  expect(screen.getByRole('heading', { level: 1, name: 'All websites' })).toBeInTheDocument();
});

test('with one website the dashboard is the start', async () => {
  const router = await signInByForm();
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'));
});

test('rows are sorted, found, and lead to the analytics of their website', async () => {
  signIn();
  state.websites = three();
  const { router, user } = renderApp('/websites');
  // Revenue without a rate cannot be compared: it comes last.
  expect(await order()).toEqual(['second.example', 'vpnreview.is', 'drei.example']);
  await user.selectOptions(screen.getByRole('combobox', { name: 'Metric' }), 'Clicks');
  expect(await order()).toEqual(['drei.example', 'second.example', 'vpnreview.is']);
  await user.click(screen.getByRole('button', { name: 'Today' }));
  expect(await order()).toEqual(['vpnreview.is', 'second.example', 'drei.example']);
  expect(screen.getByRole('columnheader', { name: 'Today' })).toHaveAttribute('aria-sort', 'ascending');
  await user.type(screen.getByRole('searchbox', { name: 'Search websites' }), 'SECOND');
  expect(await order()).toEqual(['second.example']);
  await user.click(screen.getByRole('link', { name: 'second.example' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/analytics'));
  expect(router.state.location.search).toMatchObject({ website: 'w2' }); // the page may have opened its default view
});

test('a currency without a rate is shown apart; another currency is requested', async () => {
  signIn();
  state.websites = three();
  const { user } = renderApp('/websites');
  expect(await screen.findByText('No exchange rate for EUR: shown apart, not in the totals.')).toBeInTheDocument();
  expect(screen.getAllByText('+ €30.00')).toHaveLength(4);
  await user.selectOptions(screen.getByRole('combobox', { name: 'Currency' }), 'EUR');
  await waitFor(() => expect(requests('GET /api/platform/websites/summary').at(-1)).toContain('currency=EUR'));
  await waitFor(() => expect(screen.getByTestId('total-today')).toHaveTextContent('€30.00'));
});

test('without a website: the words of the specification', async () => {
  signIn();
  state.websites = [];
  renderApp('/websites');
  expect(await screen.findByText('No Websites Found')).toBeInTheDocument();
});
