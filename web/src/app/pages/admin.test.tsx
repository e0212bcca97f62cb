import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { activityQuery, totalsQuery } from '@/features/analytics/api/platform-totals';
import type { TermsSince } from '@/lib/api/types';
import { getSession, startSession } from '@/lib/session';
import { account, activity, adminLink, adminPartner, trackedClick, USER } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';

afterEach(() => vi.useRealTimers());

test('spec §6: a member finds no admin dashboard, and no way to it', async () => {
  startSession({ token: 'token-1', user: { ...USER, roles: ['member'] } });
  state.account = account({ roles: ['member'] });
  renderApp('/admin');
  expect(await screen.findByRole('heading', { name: '404 Page Not Found' })).toBeInTheDocument();
  expect(screen.queryByRole('link', { name: 'Admin' })).not.toBeInTheDocument();
});

test('spec §4, §6: without a session the admin dashboard leads to sign-in', async () => {
  const { router } = renderApp('/admin');
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
});

test('spec §2, §3, overview: the totals and what happened lately, with links to it', async () => {
  signIn();
  state.adminPartners = [adminPartner(), adminPartner({ id: 'p2', name: 'Off', isActive: false })];
  state.activity = [
    activity(),
    activity({ id: 'a2', type: 'link.deleted', description: 'A link was deleted', subjectId: 'l9' }),
  ];
  renderApp('/admin');
  expect(await screen.findByRole('heading', { level: 1, name: 'Affiliate Management Dashboard' })).toBeInTheDocument();
  expect(screen.getByText('Welcome back, Sigrún')).toBeInTheDocument();
  const stat = (label: string) => screen.getByTestId(`stat-${label}`);
  await waitFor(() => expect(stat('Total Clicks')).toHaveTextContent('12,345All time'));
  expect(stat('Conversions')).toHaveTextContent('480.39% conversion rate');
  expect(stat('Revenue')).toHaveTextContent('$984.20Estimated earnings');
  await waitFor(() => expect(stat('Active Partners')).toHaveTextContent('1'));
  const list = within(await screen.findByRole('list', { name: 'Recent activity' }));
  expect(list.getByRole('link', { name: 'Partner NordVPN was added' })).toHaveAttribute(
    'href',
    '/admin?tab=partners&partner=p1',
  );
  expect(list.queryByRole('link', { name: 'A link was deleted' })).not.toBeInTheDocument();
});

test('spec §2, §4, admin dashboard: four tabs, each with a screen of its own', async () => {
  signIn();
  const { user } = renderApp('/admin');
  const tabs = within(await screen.findByRole('tablist', { name: 'Affiliate management' }));
  expect(tabs.getAllByRole('tab').map((tab) => tab.textContent)).toEqual([
    'Overview',
    'Partners',
    'Affiliate Links',
    'Click Tracking',
  ]);
  await user.click(tabs.getByRole('tab', { name: 'Affiliate Links' }));
  expect(await screen.findByText('/go/nord')).toBeInTheDocument();
  await user.click(tabs.getByRole('tab', { name: 'Click Tracking' }));
  expect(await screen.findByText('Live')).toBeInTheDocument();
});

test('spec §2, partners: the text while they load, and the columns of their table', async () => {
  signIn();
  let answer = (): void => undefined;
  const waiting = new Promise<void>((resolve) => (answer = resolve));
  server.use(
    http.get('/api/admin/partners', async () => {
      await waiting;
      return json([adminPartner({ commission: 12.5 }), adminPartner({ id: 'p2', name: 'Off', isActive: false })]);
    }),
  );
  renderApp('/admin?tab=partners');
  expect(await screen.findByText('Loading partners...')).toBeInTheDocument();
  answer();
  const table = await screen.findByRole('table');
  expect(
    within(table)
      .getAllByRole('columnheader')
      .map((item) => item.textContent),
  ).toEqual(['Name', 'Commission', 'Status', 'Created', 'Clicks', 'Conversions', 'Revenue', 'EPC', 'Actions']);
  const [, first, second] = within(table).getAllByRole('row');
  expect(first).toHaveTextContent('12.5%ActiveAug 1, 2026');
  expect(second).toHaveTextContent('Inactive');
  expect(screen.getByRole('button', { name: 'Delete Off' })).toBeInTheDocument();
});

test('spec §7, §9: the totals and the last 10 events are read again every 30 s', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  signIn();
  renderApp('/admin');
  await waitFor(() => expect(screen.getByTestId('stat-Total Clicks')).toHaveTextContent('12,345'));
  const asked = () => [
    requests('GET /api/admin/analytics').length,
    requests('GET /api/admin/recent-activity?limit=10').length,
  ];
  const [totals = 0, activities = 0] = asked();
  await act(() => vi.advanceTimersByTimeAsync(30_000));
  await waitFor(() =>
    expect(asked()).toEqual([
      expect.toSatisfy((count: number) => count > totals),
      expect.toSatisfy((count: number) => count > activities),
    ]),
  );
  expect([totalsQuery(null).refetchInterval, activityQuery.refetchInterval]).toEqual([30_000, 30_000]);
});

test('nothing happened yet (spec §2)', async () => {
  signIn();
  state.activity = [];
  renderApp('/admin');
  expect(await screen.findByText('No recent activity')).toBeInTheDocument();
});

test('spec §4: Logout ends the session and leads to sign-in', async () => {
  signIn();
  server.use(http.post('/api/platform/logout', () => noContent()));
  const { user, router } = renderApp('/admin');
  await user.click(await screen.findByRole('button', { name: 'Logout' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
  expect(getSession()).toBeNull();
});

test('spec §2, §4, §5, §7, §8: a partner is added by the rules of the specification', async () => {
  signIn();
  state.adminPartners = [];
  server.use(
    http.post('/api/admin/partners', () => {
      const added = adminPartner({ name: 'Nord  VPN' });
      state.adminPartners = [added];
      return json(added, { status: 201 });
    }),
  );
  const { user } = renderApp('/admin?tab=partners');
  expect(await screen.findByText('No partners found. Create your first partner!')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Add Partner' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Add New Partner' }));
  for (const label of ['Name', 'Base URL', 'Commission (%)']) expect(dialog.getByLabelText(label)).toBeRequired();
  expect(dialog.getByLabelText('Commission (%)')).toHaveAttribute('step', '0.01');
  await user.click(dialog.getByRole('button', { name: 'Add Partner' }));
  expect(dialog.getByText('Please enter a name')).toBeInTheDocument();
  await user.type(dialog.getByLabelText('Name'), 'Nord  VPN');
  await user.type(dialog.getByLabelText('Base URL'), 'https://nordvpn.com');
  await user.type(dialog.getByLabelText('Commission (%)'), '12.25');
  server.use(http.post('/api/admin/partners', () => refuse(409, 'The slug nordvpn is taken.'), { once: true }));
  await user.click(dialog.getByRole('button', { name: 'Add Partner' }));
  expect(await screen.findByText('Failed to create partner', { exact: true })).toBeInTheDocument();
  expect(screen.getByText('The slug nordvpn is taken.', { exact: true })).toBeInTheDocument();
  await user.click(dialog.getByRole('button', { name: 'Add Partner' }));
  expect(await screen.findByText('Partner created successfully')).toBeInTheDocument();
  expect(state.seen.find((item) => item.line === 'POST /api/admin/partners')?.body).toEqual({
    name: 'Nord  VPN',
    baseUrl: 'https://nordvpn.com',
    commission: 12.25,
    slug: 'nord-vpn',
    description: 'Nord  VPN affiliate program',
    isActive: 1,
    cookieDays: 30,
    postbackPreset: 'names',
    clickIdParameter: 'subid',
  });
  expect(await screen.findByRole('button', { name: 'Edit Nord VPN' })).toBeInTheDocument();
});

test('partners have their numbers of 30 days, can be sorted by them, and open by name', async () => {
  signIn();
  state.adminPartners = [adminPartner(), adminPartner({ id: 'p2', name: 'Quiet' })];
  state.partnerTotals = [
    {
      partnerId: 'p1',
      clicks: 1200,
      conversions: 48,
      revenue: 964.5,
      epc: 0.8,
      currency: 'USD',
      notConverted: [{ amount: 1200, currency: 'EUR' }],
    },
  ];
  const { user } = renderApp('/admin?tab=partners');
  const table = within(await screen.findByRole('table', { name: 'List of partners' }));
  await user.click(table.getByRole('button', { name: 'Clicks' }));
  const rows = table.getAllByRole('row');
  expect(rows[1]).toHaveTextContent(/^Quiet.*00––$/);
  expect(rows[2]).toHaveTextContent('1,20048$964.50without €12.00$0.80');
  await user.click(table.getByRole('button', { name: 'NordVPN' }));
  expect(await screen.findByRole('dialog', { name: /NordVPN/ })).toBeInTheDocument();
});

test('what the server rejects is said once, and the field is marked', async () => {
  signIn();
  server.use(
    http.post('/api/admin/partners', () =>
      refuse(400, 'This host is not public.', 'bad_host', [{ field: 'baseUrl', message: 'This host is not public.' }]),
    ),
  );
  const { user } = renderApp('/admin?tab=partners');
  await user.click(await screen.findByRole('button', { name: 'Add Partner' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Add New Partner' }));
  await user.type(dialog.getByLabelText('Name'), 'Inside');
  await user.type(dialog.getByLabelText('Base URL'), 'fjordline.internal');
  await user.type(dialog.getByLabelText('Commission (%)'), '5');
  await user.click(dialog.getByRole('button', { name: 'Add Partner' }));
  expect(await screen.findAllByText('This host is not public.')).toHaveLength(1);
  expect(dialog.getByLabelText('Base URL')).toBeInvalid();
});

test('spec §4, §7, §8: a partner is edited, and its refusal is told', async () => {
  signIn();
  const bodies: unknown[] = [];
  server.use(
    http.patch('/api/admin/partners/{id}', async ({ request }) => {
      bodies.push(await request.json());
      return bodies.length === 1
        ? refuse(409, 'This was just changed by someone else. Please try again.')
        : json(adminPartner());
    }),
  );
  const { user } = renderApp('/admin?tab=partners');
  await user.click(await screen.findByRole('button', { name: 'Edit NordVPN' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit NordVPN' }));
  await user.selectOptions(dialog.getByLabelText('Kind'), 'per_lead');
  await user.clear(dialog.getByLabelText('Amount (USD)'));
  await user.type(dialog.getByLabelText('Amount (USD)'), '4.50');
  fireEvent.change(dialog.getByLabelText('New terms begin (optional)'), { target: { value: '2030-01-01T00:00' } });
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Failed to update partner')).toBeInTheDocument();
  expect(screen.getByText('This was just changed by someone else. Please try again.')).toBeInTheDocument();
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Partner updated successfully')).toBeInTheDocument();
  expect(bodies[1]).toEqual({
    terms: expect.objectContaining({ kind: 'per_lead', amount: 450, currency: 'USD', percent: null }),
    effectiveFrom: '2030-01-01T00:00:00.000Z',
  });
});

test('terms ahead are announced, those of now are in force', async () => {
  signIn();
  const since = (state: TermsSince['state'], effectiveAt: string, text: string): TermsSince => ({
    state,
    effectiveAt,
    commission: 10,
    flatCommission: null,
    terms: { ...adminPartner().terms, text },
  });
  server.use(
    http.get('/api/admin/partners/{id}/terms', () =>
      json([
        since('announced', '2099-01-01T00:00:00Z', '20%'),
        since('in_force', '2026-10-01T00:00:00Z', '15%'),
        since('past', '2026-09-01T00:00:00Z', '10%'),
      ]),
    ),
  );
  const { user } = renderApp('/admin?tab=partners&partner=p1');
  const dialog = within(await screen.findByRole('dialog', { name: 'NordVPN' }));
  await dialog.findByText('20%');
  expect(dialog.getAllByRole('listitem').map((item) => item.textContent?.replace(/ [A-Z].*/, ''))).toEqual([
    '20%from',
    '15%in effect since',
    '10%since',
  ]);
  await user.click(dialog.getByRole('button', { name: 'Close' }));
});

test('the address of a partner that was deleted says so', async () => {
  signIn();
  renderApp('/admin?tab=partners&partner=gone');
  expect(await screen.findByText('This partner was deleted.')).toBeInTheDocument();
});

test('spec §4: deleting a partner with history says what stays', async () => {
  signIn();
  server.use(
    http.delete('/api/admin/partners/{id}', () => {
      state.adminPartners = [];
      return noContent();
    }),
  );
  const { user } = renderApp('/admin?tab=partners');
  await user.click(await screen.findByRole('button', { name: 'Delete NordVPN' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete NordVPN?' }));
  expect(dialog.getByText(/It has 3 links and 2 conversions. History is kept/)).toBeInTheDocument();
  await user.click(dialog.getByRole('button', { name: 'Deactivate and hide' }));
  expect(await screen.findByText('No partners found. Create your first partner!')).toBeInTheDocument();
});

test('partners are searched and sorted, and one shows its history and postback', async () => {
  signIn();
  state.adminPartners = [
    adminPartner(),
    adminPartner({
      id: 'p2',
      name: 'Bluehost',
      slug: 'bluehost',
      commission: 40,
      createdAt: '2026-09-01T00:00:00Z',
      postbackPreset: 'awin',
    }),
  ];
  const { user } = renderApp('/admin?tab=partners&partner=p2');
  const dialog = within(await screen.findByRole('dialog', { name: 'Bluehost' }));
  expect(await dialog.findByText(/partner=bluehost&clickRef=!!!clickRef!!!/)).toBeInTheDocument();
  expect(dialog.getAllByText('12.5% of the sale').length).toBeGreaterThan(0);
  await user.click(dialog.getByRole('button', { name: 'Close' }));
  const names = () => screen.getAllByRole('button', { name: /^Edit / }).map((item) => item.getAttribute('aria-label'));
  await waitFor(() => expect(names()).toEqual(['Edit Bluehost', 'Edit NordVPN']));
  await user.click(screen.getByRole('button', { name: 'Commission' }));
  expect(names()).toEqual(['Edit NordVPN', 'Edit Bluehost']);
  expect(screen.getByRole('columnheader', { name: 'Commission' })).toHaveAttribute('aria-sort', 'ascending');
  await user.type(screen.getByRole('searchbox', { name: 'Search partners' }), 'blue');
  expect(names()).toEqual(['Edit Bluehost']);
});

test('all links are listed with their owner, and made in bulk', async () => {
  signIn();
  server.use(
    http.post('/api/platform/links/bulk', () =>
      json({ links: [{ ...adminLink({ url: 'http://t.example/go/one' }) }] }, { status: 201 }),
    ),
  );
  const { user } = renderApp('/admin?tab=links');
  const row = within((await screen.findByText('/go/nord')).closest('tr') as HTMLElement);
  expect(row.getByText('Jón')).toBeInTheDocument();
  expect(row.getByText('$123.45')).toBeInTheDocument();
  expect(row.getByText('jon@example.com')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Bulk create' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Bulk create links' }));
  await user.type(dialog.getByLabelText('Links'), 'nordvpn, https://nordvpn.com/deal{Enter}who');
  expect(dialog.getByText('Line 2: There is no active partner “who”.')).toBeInTheDocument();
  await user.type(dialog.getByLabelText('Links'), '{Backspace}{Backspace}{Backspace}{Backspace}');
  await user.click(dialog.getByRole('button', { name: 'Create 1 link' }));
  expect(await screen.findByRole('dialog', { name: '1 link created' })).toHaveTextContent('http://t.example/go/one');
  expect(state.seen.find((item) => item.line === 'POST /api/platform/links/bulk')?.body).toEqual({
    links: [{ websiteId: 'w1', partnerId: 'p1', destination: 'https://nordvpn.com/deal' }],
  });
});

test('a link of another is paused and deleted by the routes of admins, with a reason', async () => {
  signIn();
  server.use(
    http.post('/api/admin/links/{id}/pause', () => json(adminLink({ isActive: false }))),
    http.post('/api/admin/links/{id}/delete', () => noContent()),
  );
  const { user } = renderApp('/admin?tab=links');
  for (const [act, done] of [
    ['Pause', 'Link paused'],
    ['Delete', 'Link deleted'],
  ] as const) {
    await user.click(await screen.findByRole('button', { name: `${act} link nord` }));
    const dialog = within(await screen.findByRole('dialog', { name: `${act} /go/nord?` }));
    const send = dialog.getByRole('button', { name: `${act} link` });
    await user.type(dialog.getByLabelText('Reason'), ' a ');
    expect(send).toBeDisabled();
    await user.type(dialog.getByLabelText('Reason'), 'scam');
    await user.click(send);
    expect(await screen.findByText(done, { exact: true })).toBeInTheDocument();
    expect(state.seen.find((item) => item.line === `POST /api/admin/links/l1/${act.toLowerCase()}`)?.body).toEqual({
      reason: 'a scam',
    });
  }
});

test('what an admin is about to do stays open when the phone is turned', async () => {
  signIn();
  const screenSize = Object.assign(new EventTarget(), { matches: true });
  vi.spyOn(window, 'matchMedia').mockReturnValue(screenSize as unknown as MediaQueryList);
  const { user } = renderApp('/admin?tab=links');
  await user.click(await screen.findByRole('button', { name: 'Pause link nord' }));
  await user.type(within(await screen.findByRole('dialog')).getByLabelText('Reason'), 'spam');
  expect(document.querySelector('table')).toBeNull();
  act(() => {
    screenSize.matches = false;
    screenSize.dispatchEvent(new Event('change'));
  });
  expect(document.querySelector('table')).not.toBeNull();
  expect(within(screen.getByRole('dialog')).getByLabelText('Reason')).toHaveValue('spam');
});

test('clicks show their way and are filtered, paused and exported', async () => {
  signIn();
  state.trackedClicks = [
    trackedClick({ route: 'rule 1' }),
    trackedClick({ id: 'k2', slug: 'bot-link', isBot: true, botReason: 'declared_crawler', conversions: [] }),
  ];
  const { user, router } = renderApp('/admin?tab=clicks');
  const row = (await screen.findByRole('cell', { name: /^\/go\/nord/ })).closest('tr') as HTMLElement;
  expect(row).toHaveTextContent('Iceland, mobile');
  expect(row).toHaveTextContent('Click (rule 1) sale ORD-1 Approved $25.00');
  expect(screen.getByText('Declared crawler')).toBeInTheDocument();
  await user.selectOptions(screen.getByLabelText('Bots'), 'only');
  await waitFor(() => expect(screen.queryByText('Click (rule 1)', { exact: false })).not.toBeInTheDocument());
  expect(await screen.findByRole('cell', { name: /^\/go\/bot-link/ })).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Export CSV' })).toHaveAttribute('href', '/api/admin/clicks.csv?bots=only');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Countries' }), 'Iceland');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Countries' }), 'Unknown');
  await waitFor(() => expect(router.state.location.searchStr).toBe('?tab=clicks&bots=only&country=IS&country=ZZ'));
  await waitFor(() => expect(requests('GET /api/admin/clicks?').at(-1)).toContain('country=IS%2CZZ'));
  expect(screen.getByRole('link', { name: 'Export CSV' })).toHaveAttribute(
    'href',
    '/api/admin/clicks.csv?country=IS%2CZZ&bots=only',
  );
  await user.click(screen.getByRole('button', { name: 'Remove Iceland' }));
  await waitFor(() => expect(router.state.location.searchStr).toBe('?tab=clicks&bots=only&country=ZZ'));
  await user.click(screen.getByRole('button', { name: 'Pause' }));
  expect(screen.getByText('Paused')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Resume' }));
  expect(screen.getByText('Live')).toBeInTheDocument();
});

test('the click log says that events of some websites, or of the chosen one, are stored from a day on', async () => {
  signIn();
  state.trackedClicks = [trackedClick()];
  server.use(
    http.get('/api/admin/clicks', () => json(state.trackedClicks, { headers: { 'X-Events-Kept-From': '2026-03-01' } })),
  );
  const { user } = renderApp('/admin?tab=clicks');
  const line = await screen.findByText('Individual events of some websites are only available from Mar 1, 2026 (UTC).');
  expect(line).toBeInTheDocument();
  expect(screen.queryByRole('link', { name: 'Retention settings' })).not.toBeInTheDocument();
  await user.selectOptions(screen.getByLabelText('Website'), 'vpnreview.is');
  expect(await screen.findByText(/Individual events are available from Mar 1, 2026/)).toBeInTheDocument();
  expect(await screen.findByRole('link', { name: 'Retention settings' })).toBeInTheDocument();
});
