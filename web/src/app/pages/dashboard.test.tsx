import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { account, figures, link, overview, partner, website } from '@/test/fixtures';
import { watchCopies } from '@/test/clipboard';
import { markFirstVisit } from '@/lib/session/first-visit';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';

beforeEach(signIn);

test('spec §2, stats row: it is computed from the last 30 days and the 30 before', async () => {
  renderApp('/dashboard');
  await waitFor(() => expect(screen.getByTestId('kpi-Total Clicks')).toHaveTextContent('1,200'));
  expect(await screen.findByText('Welcome back, Sigrún')).toBeInTheDocument();
  expect(await screen.findByText('+20.0%')).toBeInTheDocument();
  expect(requests('GET /api/platform/analytics/overview?')[0]).toContain('websiteId=w1&timeRange=30d&compare=previous');
  expect(await screen.findByText('$30.00')).toBeInTheDocument();
  expect(await screen.findByRole('link', { name: 'View all' })).toHaveAttribute('href', '/conversions?website=w1');
});

test('the dashboard has the insights of the analytics page, with their details', async () => {
  state.insights = [
    {
      id: 'i1',
      insightType: 'warning',
      metric: 'conversions',
      title: 'No conversions from NordVPN this week',
      content: '412 clicks led to no conversion.',
      confidenceScore: 0.97,
      narratedBy: 'finder',
      about: { dimension: 'partner', value: 'p1', name: 'NordVPN' },
      evidence: [],
      from: '2026-11-13',
      to: '2026-11-19',
      comparedFrom: '2026-10-16',
      comparedTo: '2026-11-12',
      filters: { timeRange: 'custom', from: '2026-11-13', to: '2026-11-19', partner: 'p1' },
      since: '2026-11-20T03:00:00Z',
    },
  ];
  renderApp('/dashboard');
  const items = within(await screen.findByRole('list', { name: 'Insights' })).getAllByRole('listitem');
  expect(items).toHaveLength(1);
  expect(items[0]).toHaveTextContent('WarningNo conversions from NordVPN this week412 clicks led to no conversion.');
  expect(await within(items[0] as HTMLElement).findByRole('link', { name: /^View details/ })).toHaveAttribute(
    'href',
    '/analytics?website=w1&range=custom&from=2026-11-13&to=2026-11-19&compare=custom&compareFrom=2026-10-16&compareTo=2026-11-12&f=is,partner,p1&metric=conversions',
  );
  expect(requests('GET /api/platform/analytics/partners')).toEqual([]);
});

test('a website without any event has no data yet, and nothing is called usual', async () => {
  state.overview = overview(figures({ clicks: { total: 0, unique: 0 }, pageviews: 0 }));
  renderApp('/dashboard');
  expect(await screen.findByText(/^No data yet\./)).toBeInTheDocument();
  expect(screen.queryByText('Nothing unusual in the last 30 days.')).not.toBeInTheDocument();
});

test('without insights the card says so, and why when they cannot be loaded', async () => {
  renderApp('/dashboard');
  expect(await screen.findByText(/Nothing unusual in the last 30 days./)).toBeInTheDocument();
  cleanup();
  server.use(http.get('/api/analytics/{websiteId}/insights', () => refuse(503, 'Not now')));
  renderApp('/dashboard');
  expect(await screen.findByText('Error loading insights: Not now')).toBeInTheDocument();
});

test('getting started shows what is still missing, and goes when all is done', async () => {
  state.overview = overview(figures({ clicks: { total: 0, unique: 0 }, pageviews: 0 }));
  state.links = [];
  state.conversions = [];
  renderApp('/dashboard');
  const steps = within(await screen.findByRole('region', { name: 'Getting started' }));
  expect(steps.getByText('1 of 7 steps done')).toBeInTheDocument();
  expect(steps.getByRole('link', { name: 'Set it up' })).toHaveAttribute('href', '/account-settings?tab=general');
  expect(steps.getByRole('link', { name: 'Create an invite code' })).toHaveAttribute(
    'href',
    '/account-settings?tab=invite-codes',
  );
  expect(steps.getByRole('link', { name: 'Connect or import' })).toHaveAttribute('href', '/conversions/networks');
  expect(steps.getByRole('link', { name: 'Show the snippet' })).toHaveAttribute(
    'href',
    '/account-settings?tab=websites',
  );
  expect(await screen.findByText('No links yet')).toBeInTheDocument();
});

test('an event of long ago counts as the first one', async () => {
  state.overview = overview(figures({ clicks: { total: 0, unique: 0 }, pageviews: 0 }));
  state.websites = [website({ firstEventAt: '2026-08-02T10:00:00Z' })];
  renderApp('/dashboard');
  const steps = within(await screen.findByRole('region', { name: 'Getting started' }));
  expect(steps.getByText('Receive the first event')).toHaveTextContent('(done)');
});

test('dismissed steps are gone, also at the next visit, and nothing is requested for them', async () => {
  state.links = [];
  const { user } = renderApp('/dashboard');
  const steps = within(await screen.findByRole('region', { name: 'Getting started' }));
  await user.click(steps.getByRole('button', { name: 'Dismiss' }));
  expect(screen.queryByRole('region', { name: 'Getting started' })).not.toBeInTheDocument();
  expect(await screen.findByText('No links yet')).toBeVisible();
  cleanup();
  state.seen.length = 0;
  renderApp('/dashboard');
  expect(await screen.findByText('No links yet')).toBeInTheDocument();
  expect(screen.queryByRole('region', { name: 'Getting started' })).not.toBeInTheDocument();
  expect(requests('GET /api/platform/invite-codes')).toEqual([]);
});

test('an account that was created in this tab is welcomed, not welcomed back', async () => {
  markFirstVisit('u1');
  renderApp('/dashboard');
  expect(await screen.findByText('Welcome, Sigrún')).toBeInTheDocument();
});

test('with everything done there are no steps', async () => {
  state.account = account({ twoFactor: true });
  state.invites = [
    {
      id: 'i1',
      code: 'AAAA-BBBB',
      maxUses: 1,
      currentUses: 0,
      createdAt: '2026-11-01T00:00:00Z',
      expiresAt: '2026-12-01T00:00:00Z',
      revokedAt: null,
      status: 'active',
      joined: [],
    },
  ];
  renderApp('/dashboard');
  await screen.findByText('ORD-1', { exact: false });
  await screen.findByText('http://t.example/go/nord');
  expect(screen.getByText('412 clicks')).toHaveTextContent('412 clicks$123.45');
  expect(screen.queryByRole('region', { name: 'Getting started' })).not.toBeInTheDocument();
});

test('C, a destination and Enter create a link and copy it; the partner is recognized', async () => {
  state.links = [];
  state.partners = [
    partner(),
    partner({ id: 'p2', name: 'Wool', slug: 'wool', baseUrl: 'https://www.wool.co.uk/', clickIdParameter: 'sub1' }),
    partner({ id: 'p3', name: 'Gone', baseUrl: 'https://gone.example/', isActive: false }),
  ];
  server.use(
    http.post('/api/platform/links', () => {
      const added = link({ slug: 'best', url: 'http://t.example/go/best', sub1: 'sidebar' });
      state.links = [added];
      return json(added, { status: 201 });
    }),
  );
  const copied = watchCopies();
  const { user } = renderApp('/dashboard');
  await screen.findByText('No links yet');
  await user.keyboard('c');
  const dialog = await screen.findByRole('dialog', { name: 'Create link' });
  const destination = within(dialog).getByLabelText('Destination (optional)');
  await waitFor(() => expect(within(dialog).getAllByRole('option')).toHaveLength(3));
  expect(destination).toHaveFocus();
  await user.type(destination, 'shop.wool.co.uk/socks');
  expect(within(dialog).getByLabelText('Partner')).toHaveValue('p2');
  expect(within(dialog).getByText(/The click ID is added automatically as/)).toHaveTextContent('sub1');
  await user.type(destination, '{Enter}');
  expect(await screen.findByText('Link created and copied', { exact: true })).toBeInTheDocument();
  expect(copied).toEqual(['http://t.example/go/best']);
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  expect(state.seen.find((item) => item.line === 'POST /api/platform/links')?.body).toEqual({
    websiteId: 'w1',
    partnerId: 'p2',
    destination: 'https://shop.wool.co.uk/socks',
  });
});

test('a slug is made of what is typed, UTM parameters are added, and input is not thrown away unasked', async () => {
  server.use(http.post('/api/platform/links', () => json(link({ url: 'http://t.example/go/x' }), { status: 201 })));
  watchCopies();
  const { user } = renderApp('/dashboard');
  await user.click(await screen.findByRole('button', { name: 'Create link' }));
  const dialog = await screen.findByRole('dialog', { name: 'Create link' });
  await user.type(within(dialog).getByLabelText('Destination (optional)'), 'https://nordvpn.com/deal?a=1#top');
  await user.type(within(dialog).getByLabelText('Slug (optional)'), ' Fjord deal! ');
  expect(await within(dialog).findByText(/\/go\/fjord-deal$/)).toBeInTheDocument();
  await user.type(within(dialog).getByLabelText('Source'), 'news letter');
  await user.type(within(dialog).getByLabelText('Sub-ID 1 (optional)'), 'sidebar');
  await user.keyboard('{Escape}');
  expect(within(dialog).getByRole('alert')).toHaveTextContent('Discard what you entered?');
  await user.click(within(dialog).getByRole('button', { name: 'Keep editing' }));
  await user.click(within(dialog).getByRole('button', { name: 'Create link' }));
  await screen.findByText('Link created and copied', { exact: true });
  expect(state.seen.find((item) => item.line === 'POST /api/platform/links')?.body).toEqual({
    websiteId: 'w1',
    partnerId: 'p1',
    destination: 'https://nordvpn.com/deal?a=1&utm_source=news%20letter#top',
    slug: 'fjord-deal',
    sub1: 'sidebar',
  });
});

test('what was not changed is closed at once, and what was is discarded only on confirmation', async () => {
  const { user } = renderApp('/dashboard');
  await user.click(await screen.findByRole('button', { name: 'Create link' }));
  await screen.findByRole('dialog', { name: 'Create link' });
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Create link' }));
  await user.type(await screen.findByLabelText('Destination (optional)'), 'x');
  await user.keyboard('{Escape}');
  await user.click(await screen.findByRole('button', { name: 'Discard' }));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  expect(requests('POST')).toEqual([]);
});

test('a link that cannot pass a click ID is marked, and its form says how to fix it', async () => {
  state.links = [link({ passesClickId: false })];
  const { user } = renderApp('/dashboard');
  expect(await screen.findByText('Can’t pass a click ID')).toHaveAttribute(
    'title',
    expect.stringContaining('{click_id}'),
  );
  await user.click(await screen.findByRole('button', { name: 'Actions of link nord' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Edit' }));
  const dialog = await screen.findByRole('dialog', { name: 'Edit link' });
  expect(await within(dialog).findByText(/can’t pass a click ID, so its sales/)).toBeInTheDocument();
  await user.type(within(dialog).getByLabelText('Destination'), '?ref=');
  await user.click(within(dialog).getByRole('button', { name: 'Add {click_id} to the destination' }));
  expect(within(dialog).getByLabelText('Destination')).toHaveValue('https://nordvpn.com/?ref={click_id}');
  expect(within(dialog).getByText(/The click ID is passed where you put/)).toBeInTheDocument();
});

test('a refused destination is said at its field', async () => {
  server.use(
    http.post('/api/platform/links', () =>
      refuse(400, 'Refused', 'invalid', [{ field: 'destination', message: 'Must be on nordvpn.com' }]),
    ),
  );
  const { user } = renderApp('/dashboard');
  await user.click(await screen.findByRole('button', { name: 'Create link' }));
  const choice = await screen.findByLabelText('Partner');
  await within(choice).findByRole('option', { name: 'NordVPN' });
  await user.type(screen.getByLabelText('Destination (optional)'), 'https://evil.example/');
  await user.selectOptions(choice, 'NordVPN');
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Create link' }));
  expect(await screen.findByText('Must be on nordvpn.com')).toBeInTheDocument();
});

test('a link is removed after asking', async () => {
  server.use(
    http.delete('/api/platform/links/{id}', () => {
      state.links = [];
      return noContent();
    }),
  );
  const { user } = renderApp('/dashboard');
  await user.click(await screen.findByRole('button', { name: 'Actions of link nord' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Remove' }));
  await user.click(await within(await screen.findByRole('dialog')).findByRole('button', { name: 'Remove link' }));
  expect(await screen.findByText('No links yet')).toBeInTheDocument();
  expect(requests('DELETE')).toEqual(['DELETE /api/platform/links/l1']);
});

test('spec §2: no websites: the same words as on the analytics page', async () => {
  state.websites = [];
  renderApp('/dashboard');
  expect(await screen.findByText('No Websites Found')).toBeInTheDocument();
  const steps = within(await screen.findByRole('region', { name: 'Getting started' }));
  expect(steps.getByText('0 of 7 steps done')).toBeInTheDocument();
  expect(within(screen.getByRole('main')).getAllByRole('link', { name: /^Connect/ })).toHaveLength(1);
  expect(requests('GET /api/platform/links')).toEqual([]);
});

test('a failure is named', async () => {
  server.use(http.get('/api/platform/websites', () => refuse(500, 'Broken')));
  renderApp('/dashboard');
  expect(await screen.findByText('Error loading analytics: Broken')).toBeInTheDocument();
});
