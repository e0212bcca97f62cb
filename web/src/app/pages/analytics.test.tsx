import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { TrafficRule } from '@/lib/api/types';
import { FakeEventSource } from '@/test/event-source';
import { live, liveEvent, overview, website } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { seeEverything } from '@/test/seen';
import { http, json, noContent, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';

beforeEach(() => {
  signIn();
  seeEverything();
});

const card = (name: string) => within(screen.getByRole('region', { name }));
const kpi = (name: string) => screen.getByTestId(`kpi-${name}`);

test('spec §2, §9: header, selectors and their choices as specified', async () => {
  renderApp('/analytics');
  expect(await screen.findByRole('heading', { level: 1, name: 'Analytics Dashboard' })).toBeInTheDocument();
  expect(screen.getByText('Track performance across your affiliate campaigns')).toBeInTheDocument();
  const range = await screen.findByRole('combobox', { name: 'Time range' });
  expect(
    within(range)
      .getAllByRole('option')
      .map((option) => option.textContent),
  ).toEqual(expect.arrayContaining(['Last 24h', 'Last 7 days', 'Last 30 days', 'Custom Range']));
  expect(within(range).getAllByRole('option')).toHaveLength(18);
  expect(range).toHaveValue('7d');
  const chart = await screen.findByRole('combobox', { name: 'Chart range' });
  expect(
    within(chart)
      .getAllByRole('option')
      .map((option) => option.textContent),
  ).toEqual(['Same as page', 'Last 24h', 'Last 7 days', 'Last 30 days', 'Last 90 days']);
  expect(screen.getByRole('combobox', { name: 'Website' })).toHaveDisplayValue('vpnreview.is');
});

test('spec §4, §7: the five calls are made together for the chosen website and range', async () => {
  renderApp('/analytics?range=30d');
  await screen.findByTestId('kpi-Revenue');
  for (const name of ['overview', 'clicks', 'conversions', 'partners', 'geographic']) {
    await waitFor(() =>
      expect(
        requests(`GET /api/platform/analytics/${name}?`).some((line) => line.includes('websiteId=w1&timeRange=30d')),
      ).toBe(true),
    );
  }
});

test('spec §2, stats row: figures come with a computed change, coloured by its meaning', async () => {
  renderApp('/analytics');
  await waitFor(() => expect(kpi('Total Clicks')).toHaveTextContent('1,200'));
  expect(kpi('Conversions')).toHaveTextContent('48');
  expect(kpi('Revenue')).toHaveTextContent('$984.25');
  expect(kpi('Conversion Rate')).toHaveTextContent('4.00%');
  expect(screen.getByText('900 unique')).toBeInTheDocument();
  expect(screen.getByText('+20.0%')).toHaveClass('text-good');
  expect(screen.getByText('−20.0%')).toHaveClass('text-bad');
  expect(screen.getAllByText('vs previous').length).toBeGreaterThan(0);
});

test('the page takes at most twelve requests, all of its cards in view', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch');
  renderApp('/analytics');
  await screen.findByTestId('kpi-Revenue');
  expect(await screen.findByRole('region', { name: 'Event delivery' })).toBeInTheDocument();
  await waitFor(() => expect(requests('GET /api/platform/analytics/excluded-traffic?')).toHaveLength(1));
  // Those of the mock, which answers each read that travels with others, are none of the page.
  const sent = fetched.mock.calls.map(([input]) => (input instanceof Request ? input.url : String(input)));
  const own = sent.filter((url, at) => fetched.mock.calls[at]?.[0] instanceof Request || url.includes('/reads?'));
  expect(own.length, own.join('\n')).toBeLessThanOrEqual(12);
  expect(sent.length).toBeGreaterThan(20);
});

test('without comparison there is no change', async () => {
  state.overview = overview({ previous: null });
  renderApp('/analytics?compare=none');
  await screen.findByTestId('kpi-Revenue');
  expect(screen.queryByText('vs previous')).not.toBeInTheDocument();
  expect(requests('GET /api/platform/analytics/overview?')[0]).toContain('compare=none');
});

test('spec §2, §5: no websites: the words of the specification, the way to connect one, and no call', async () => {
  state.websites = [];
  renderApp('/analytics');
  expect(await screen.findByText('No Websites Found')).toBeInTheDocument();
  expect(screen.getByText('You need to connect a website before viewing analytics.')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Connect Website' })).toHaveAttribute(
    'href',
    '/account-settings?tab=websites',
  );
  expect(requests('GET /api/platform/analytics')).toEqual([]);
});

test('spec §2, §8: a failure is named and can be tried again', async () => {
  server.use(
    http.get(
      '/api/platform/analytics/overview',
      () => refuse(503, 'The analytics store is unavailable. Please try again in a moment.'),
      {
        once: true,
      },
    ),
  );
  const { user } = renderApp('/analytics');
  const box = await screen.findByText(
    'Error loading analytics: The analytics store is unavailable. Please try again in a moment.',
  );
  expect(screen.queryByRole('status', { name: 'Loading Revenue' })).not.toBeInTheDocument();
  await user.click(within(box.closest('[role=alert]') as HTMLElement).getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(kpi('Revenue')).toHaveTextContent('$984.25'));
  expect(screen.queryByText(/Error loading analytics/)).not.toBeInTheDocument();
});

test('spec §2, §4: while websites load a spinner says so, while figures load the cards do', async () => {
  let answer = (): void => undefined;
  const waiting = new Promise<void>((resolve) => (answer = resolve));
  server.use(
    http.get('/api/platform/websites', async () => {
      await waiting;
      return json(state.websites);
    }),
  );
  server.use(http.get('/api/platform/analytics/overview', () => new Promise<never>(() => undefined)));
  renderApp('/analytics');
  expect((await screen.findByText('Loading websites')).querySelector('.animate-spin')).toBeInTheDocument();
  answer();
  expect(await screen.findByRole('status', { name: 'Loading Revenue' })).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Refresh' })).toBeDisabled();
});

test('spec §2: Refresh asks again and says so', async () => {
  const { user } = renderApp('/analytics');
  await screen.findByTestId('kpi-Revenue');
  await waitFor(() => expect(screen.getByRole('button', { name: 'Refresh' })).toBeEnabled());
  const before = requests('GET /api/platform/analytics/overview?').length;
  await user.click(screen.getByRole('button', { name: 'Refresh' }));
  expect(await screen.findByText('Analytics refreshed', { exact: true })).toBeInTheDocument();
  expect(screen.getByText('Your data has been updated', { exact: true })).toBeInTheDocument();
  expect(requests('GET /api/platform/analytics/overview?')).toHaveLength(before + 1);
});

test('a failed refresh does not claim success', async () => {
  const { user } = renderApp('/analytics');
  await screen.findByTestId('kpi-Revenue');
  await waitFor(() => expect(screen.getByRole('button', { name: 'Refresh' })).toBeEnabled());
  server.use(http.get('/api/platform/analytics/overview', () => refuse(503, 'Down')));
  await user.click(screen.getByRole('button', { name: 'Refresh' }));
  expect(await screen.findByText('Error loading analytics: Down')).toBeInTheDocument();
  expect(screen.queryByText('Analytics refreshed')).not.toBeInTheDocument();
  expect(kpi('Revenue')).toHaveTextContent('$984.25');
});

test('picking a country filters every card, shows a pill and stands in the address; Escape clears', async () => {
  const { user, router } = renderApp('/analytics');
  await user.click(await screen.findByRole('button', { name: 'Filter by Iceland 900 clicks' }));
  const filters = within(screen.getByRole('group', { name: 'Filters' }));
  expect(await filters.findByText('Iceland')).toBeInTheDocument();
  expect(router.state.location.searchStr).toBe('?f=is,country,IS');
  for (const name of ['overview', 'clicks', 'partners', 'geographic', 'conversions']) {
    await waitFor(() => expect(requests(`GET /api/platform/analytics/${name}?`).at(-1)).toContain('country=IS'));
  }
  await user.keyboard('{Escape}');
  await waitFor(() => expect(router.state.location.searchStr).toBe(''));
  act(() => router.history.back());
  await waitFor(() => expect(router.state.location.searchStr).toBe('?f=is,country,IS'));
});

test('the table of a chart filters too, and its file is safe', async () => {
  const saved: Blob[] = [];
  vi.stubGlobal(
    'URL',
    Object.assign(URL, {
      createObjectURL: (blob: Blob) => {
        saved.push(blob);
        return 'blob:x';
      },
      revokeObjectURL: () => undefined,
    }),
  );
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
  const { user, router } = renderApp('/analytics');
  await user.click(await screen.findByRole('button', { name: 'Show Top Partner Performance as table' }));
  const table = await screen.findByRole('region', { name: 'Top Partner Performance table' });
  expect(within(table).getAllByRole('row')[1]).toHaveTextContent('NordVPN70030$600.00$0.864.29%');
  await user.click(screen.getByRole('button', { name: 'Download Top Partner Performance as CSV' }));
  const text = await saved[0]?.text();
  expect(text).toContain('partner,clicks,conversions,revenue (USD)');
  expect(text).toContain("'=Bluehost,500,18,384.25");
  await user.click(within(table).getByRole('button', { name: 'Filter by NordVPN' }));
  await waitFor(() => expect(router.state.location.searchStr).toBe('?f=is,partner,p1'));
});

test('filters can be typed: any of several, or none of them', async () => {
  const { user, router } = renderApp('/analytics');
  await user.click(await screen.findByRole('button', { name: 'Add filter' }));
  await user.selectOptions(await screen.findByLabelText('Field'), 'country');
  await user.selectOptions(screen.getByLabelText('Operator'), 'is_not');
  await user.selectOptions(await screen.findByLabelText('Countries'), 'Iceland');
  await user.selectOptions(screen.getByLabelText('Countries', { selector: 'select' }), 'Germany');
  await user.click(screen.getByRole('button', { name: 'Apply filter' }));
  await waitFor(() => expect(router.state.location.searchStr).toBe('?f=not,country,IS,DE'));
  await waitFor(() => expect(requests('GET /api/platform/analytics/overview?').at(-1)).toContain('country=-IS%2C-DE'));
  await user.click(screen.getByRole('button', { name: 'Remove filter Country Iceland or Germany' }));
  await waitFor(() => expect(router.state.location.searchStr).toBe(''));
});

test('spec §2, §9: a custom range is chosen by dates and asked for by dates', async () => {
  const { user, router } = renderApp('/analytics');
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Time range' }), 'custom');
  const from = await screen.findByLabelText('From');
  await user.clear(from);
  await user.type(from, '2026-01-05');
  const to = screen.getByLabelText('To');
  await user.clear(to);
  await user.type(to, '2026-01-01');
  expect(screen.getByText('The first day is after the last day.')).toBeInTheDocument();
  await user.clear(to);
  await user.type(to, '2026-01-09');
  await user.click(screen.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(router.state.location.searchStr).toBe('?range=custom&from=2026-01-05&to=2026-01-09'));
  await waitFor(() =>
    expect(requests('GET /api/platform/analytics/overview?').at(-1)).toContain(
      'timeRange=custom&from=2026-01-05&to=2026-01-09',
    ),
  );
  expect(screen.getByRole('button', { name: /^Choose dates/ })).toHaveTextContent('Jan 5 – Jan 9, 2026');
});

test('spec §2: the chart’s own range is a visible override that can be given up', async () => {
  const { user, router } = renderApp('/analytics');
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Chart range' }), '90d');
  await waitFor(() => expect(router.state.location.searchStr).toBe('?chart=90d'));
  await waitFor(() =>
    expect(requests('GET /api/platform/analytics/clicks?').some((line) => line.includes('timeRange=90d'))).toBe(true),
  );
  expect(requests('GET /api/platform/analytics/partners?').at(-1)).toContain('timeRange=7d');
  await user.click(await screen.findByRole('button', { name: 'Same as page' }));
  await waitFor(() => expect(router.state.location.searchStr).toBe(''));
});

test('the request for the earlier period has its own dates', async () => {
  renderApp('/analytics');
  await waitFor(() =>
    expect(
      requests('GET /api/platform/analytics/clicks?').some((line) =>
        line.includes('timeRange=custom&from=2026-11-07&to=2026-11-13'),
      ),
    ).toBe(true),
  );
});

test('single keys change the range and the comparison', async () => {
  const { user, router } = renderApp('/analytics');
  await screen.findByTestId('kpi-Revenue');
  await user.keyboard('t');
  await waitFor(() => expect(router.state.location.searchStr).toBe('?range=30d'));
  await user.keyboard('x');
  await waitFor(() => expect(router.state.location.searchStr).toBe('?range=30d&compare=year'));
  await user.keyboard('w');
  await waitFor(() => expect(router.state.location.searchStr).toBe('?compare=year'));
});

test('the page says how fresh it is and in which zone', async () => {
  state.websites = [website({ timezone: 'Asia/Kolkata' })];
  renderApp('/analytics');
  await waitFor(() =>
    expect(screen.getByTestId('freshness')).toHaveTextContent(
      /^Times in Asia\/KolkataLast event Nov 20(, 2026)?, 17:30 · up to date$/,
    ),
  );
});

test('a quiet website is up to date; one without events says so', async () => {
  state.overview = overview({ lastEventAt: null });
  renderApp('/analytics');
  await waitFor(() => expect(screen.getByTestId('freshness')).toHaveTextContent(/No events yet · up to date$/));
});

test('every range of the address is requested; one that does not exist is named', async () => {
  const { router } = renderApp('/analytics?range=90d');
  expect(await screen.findByRole('combobox', { name: 'Time range' })).toHaveValue('90d');
  await waitFor(() => expect(requests('GET /api/platform/analytics/overview?').at(-1)).toContain('timeRange=90d'));
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  await act(() => router.navigate({ to: '/analytics', search: { range: '1y' } }));
  expect(await screen.findByRole('alert')).toHaveTextContent('There is no range “1y”. Showing Last 7 days.');
});

test('a comparison without data says so instead of a percentage', async () => {
  state.overview = overview({ previousHasData: false });
  const { user } = renderApp('/analytics');
  expect((await screen.findAllByText('No data in the comparison period')).length).toBeGreaterThan(0);
  expect(screen.queryByText('+20.0%')).not.toBeInTheDocument();
  state.overview = overview({ previousDataFrom: '2026-11-13' });
  await user.selectOptions(screen.getByRole('combobox', { name: 'Compare' }), 'vs previous, same weekdays');
  expect((await screen.findAllByText('Comparison period has data only since Nov 13, 2026')).length).toBeGreaterThan(0);
  expect(requests('GET /api/platform/analytics/overview?').at(-1)).toContain('compare=previous&matchWeekdays=true');
});

test('a comparison period is chosen by its days', async () => {
  const { user, router } = renderApp('/analytics?range=custom&from=2026-01-05&to=2026-01-09');
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Compare' }), 'Custom period…');
  const popover = within(await screen.findByRole('dialog', { name: 'Comparison period' }));
  const from = await popover.findByLabelText('From');
  await user.clear(from);
  await user.type(from, '2025-11-03');
  const to = popover.getByLabelText('To');
  await user.clear(to);
  await user.type(to, '2025-11-07');
  await user.click(popover.getByRole('button', { name: 'Apply' }));
  await waitFor(() =>
    expect(router.state.location.searchStr).toBe(
      '?range=custom&from=2026-01-05&to=2026-01-09&compare=custom&compareFrom=2025-11-03&compareTo=2025-11-07',
    ),
  );
  await waitFor(() =>
    expect(requests('GET /api/platform/analytics/overview?').at(-1)).toContain(
      'compare=custom&compareFrom=2025-11-03&compareTo=2025-11-07',
    ),
  );
  expect(screen.getByRole('combobox', { name: 'Compare' })).toHaveDisplayValue('vs Nov 3 – Nov 7, 2025');
});

test('spec §2, §9: of eleven partners the top ten are shown', async () => {
  const rows = Array.from({ length: 11 }, (_, index) => ({
    partnerId: `p${index}`,
    partnerName: `Partner ${index}`,
    clicks: 10,
    conversions: 1,
    revenue: 100 - index,
    epc: 1,
    conversion_rate: 10,
  }));
  server.use(http.get('/api/platform/analytics/partners', () => json(rows)));
  const { user } = renderApp('/analytics');
  await user.click(await screen.findByRole('button', { name: 'Show Top Partner Performance as table' }));
  const table = within(await screen.findByRole('region', { name: 'Top Partner Performance table' }));
  expect(
    table
      .getAllByRole('button', { name: /^Filter by/ })
      .map((item) => item.textContent?.replace('Filter by', '').trim()),
  ).toEqual(rows.slice(0, 10).map((row) => row.partnerName));
});

test('another website is another address and drops the filters', async () => {
  state.websites = [website(), website({ id: 'w2', domain: 'second.example' })];
  const { user, router } = renderApp('/analytics?f=is,country,IS');
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Website' }), 'second.example');
  await waitFor(() => expect(router.state.location.searchStr).toBe('?website=w2'));
  await waitFor(() => expect(FakeEventSource.last.url).toContain('websiteId=w2'));
});

test('the live card shows who is here, what came, and how the stream is', async () => {
  const { user, router } = renderApp('/analytics');
  await screen.findByTestId('kpi-Revenue');
  expect(await screen.findByRole('status', { name: 'Live stream: Connecting' })).toBeInTheDocument();
  const now = new Date();
  FakeEventSource.last.send(
    'snapshot',
    live({
      asOf: now.toISOString(),
      activeVisitors: 25,
      perMinute: [{ minute: now.toISOString(), events: 12 }],
      recent: [
        liveEvent({
          type: 'click',
          at: now.toISOString(),
          country: 'DE',
          partnerName: 'NordVPN',
          path: '',
          source: 'google',
        }),
      ],
    }),
  );
  expect(await screen.findByTestId('active-visitors')).toHaveTextContent('25');
  expect(card('Live').getByText('NordVPN · google')).toBeInTheDocument();
  expect(card('Live').getByRole('slider', { name: /12 in all/ })).toBeInTheDocument();
  expect(screen.getByRole('status', { name: 'Live stream: Live' })).toBeInTheDocument();
  await user.click(card('Live').getByRole('button', { name: 'Filter by country DE' }));
  await waitFor(() => expect(router.state.location.searchStr).toBe('?f=is,country,DE'));
  FakeEventSource.last.fail();
  expect(screen.getByRole('status', { name: 'Live stream: Reconnecting' })).toBeInTheDocument();
});

test('the last 30 minutes by page, source, place and event; a value filters the page', async () => {
  const { user, router } = renderApp('/analytics');
  await screen.findByRole('status', { name: 'Live stream: Connecting' });
  const value = (text: string) => [{ value: text, visitors: 3, events: 7 }];
  const top = { page: value('/a'), source: value(''), country: value('IS'), event: value('pageview') };
  act(() => FakeEventSource.last.send('snapshot', live({ top })));
  await user.click(await card('Live').findByRole('tab', { name: 'Places' }));
  expect(card('Live').getByRole('button', { name: /^Filter by ?Iceland, ?3 visitors, 7 events$/ })).toBeInTheDocument();
  await user.click(card('Live').getByRole('tab', { name: 'Sources' }));
  expect(card('Live').getByText('Direct')).toBeInTheDocument();
  await user.click(card('Live').getByRole('tab', { name: 'Pages' }));
  await user.click(card('Live').getByRole('button', { name: /^Filter by ?\/a/ }));
  await waitFor(() => expect(router.state.location.searchStr).toBe('?f=is,page,%252Fa'));
});

test('a stream that never opens says so; a refused one asks whether the session still stands', async () => {
  const { router } = renderApp('/analytics');
  await screen.findByRole('status', { name: 'Live stream: Connecting' });
  await waitFor(() => expect(requests('GET /api/platform/user')).toHaveLength(1)); // of the side navigation
  FakeEventSource.last.fail();
  expect(await card('Live').findByText('Live updates are unavailable. Retrying automatically…')).toBeInTheDocument();
  expect(requests('GET /api/platform/user')).toHaveLength(1);
  server.use(http.get('/api/platform/user', () => refuse(401, 'Please sign in.')));
  await waitFor(() => expect(FakeEventSource.last.closed).toBe(false));
  FakeEventSource.last.refuse();
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
});

test('"Event delivery" counts every outcome and names the last refusals', async () => {
  state.delivery = { ...state.delivery, adIdsNotKept: 1234 };
  renderApp('/analytics');
  await waitFor(() => expect(screen.getByTestId('outcome-accepted')).toHaveTextContent('90'));
  const delivery = card('Event delivery');
  expect(screen.getByTestId('outcome-origin_not_allowed')).toHaveTextContent('2');
  expect(screen.queryByTestId('outcome-throttled')).not.toBeInTheDocument();
  expect(
    delivery.getByText("This site key may not be used from this page: its origin is not in the key's list."),
  ).toBeInTheDocument();
  expect(delivery.getByRole('slider', { name: 'Events over time, 100 in all' })).toBeInTheDocument();
  expect(delivery.getByText(/^Ad click IDs of 1,234 of these events could not be stored/)).toBeInTheDocument();
  const reasons = within(delivery.getByRole('table', { name: 'Repeats and rejections table' }));
  expect(reasons.getByRole('row', { name: /unknown_partner hosterr \/postback 4/ })).toBeInTheDocument();
  const partners = within(delivery.getByRole('table', { name: 'Postbacks by partner table' }));
  expect(partners.getByRole('row', { name: 'Hoster 7 2 0' })).toBeInTheDocument();
  expect(partners.getByRole('row', { name: 'hosterr (unknown) 0 0 4' })).toBeInTheDocument();
});

test('a rejected report is replayed, and what would reject it again is shown', async () => {
  let times = 0;
  server.use(
    http.post('/api/platform/websites/{id}/refused-reports/{refusalId}/replay', () =>
      ++times === 1
        ? refuse(409, 'It would be refused again: partner is unknown', 'still_refused')
        : json({ conversionId: 'c1', status: 'pending', isNew: true, unread: [] }),
    ),
  );
  const { user } = renderApp('/analytics');
  const rejected = within(await screen.findByRole('table', { name: 'Rejected events table' }));
  const replay = rejected.getByRole('button', { name: 'Replay the report of hosterr' });
  await user.click(replay);
  expect(await screen.findByText('It would be refused again: partner is unknown')).toBeInTheDocument();
  await user.click(replay);
  expect(await screen.findByText('Report recorded')).toBeInTheDocument();
});

test('what the figures leave out is shown by reason; a reason filters to it and back', async () => {
  const { user, router } = renderApp('/analytics');
  const apart = within(await screen.findByRole('region', { name: 'Excluded traffic' }));
  const suspicious = within(await apart.findByRole('region', { name: 'Suspicious' }));
  expect(suspicious.getByRole('heading')).toHaveTextContent('Suspicious1,993 events');
  expect(within(apart.getByRole('region', { name: 'Bots' })).getByRole('listitem')).toHaveTextContent(
    'Crawler12 clicks42',
  );
  await user.click(suspicious.getByRole('button', { name: 'Filter by Changing browsers' }));
  await waitFor(() => expect(router.state.location.searchStr).toBe('?bots=only&f=is,reason,changing_agents'));
  await waitFor(() =>
    expect(requests('GET /api/platform/analytics/overview?').at(-1)).toContain('bots=only&reason=changing_agents'),
  );
  expect(within(screen.getByRole('group', { name: 'Filters' })).getByText('Changing browsers')).toBeInTheDocument();
  await user.click(apart.getByRole('button', { name: 'Filter by Changing browsers' }));
  await waitFor(() => expect(router.state.location.searchStr).toBe(''));
});

test('a period is re-marked for what the page is filtered by; a rule is undone', async () => {
  let rules: TrafficRule[] = [
    {
      id: 'r1',
      since: '2026-11-05T00:00:00Z',
      until: '2026-11-06T00:00:00Z',
      mark: 'bot',
      conditions: { partner_id: 'p1', reason: 'rate' },
      note: '',
      createdAt: '2026-11-07T00:00:00Z',
      isFollowed: false,
    },
  ];
  const asked: unknown[] = [];
  server.use(
    http.get('/api/platform/websites/{id}/traffic-rules', () => json(rules)),
    http.post('/api/platform/websites/{id}/traffic-rules', async ({ request }) => {
      asked.push(await request.json());
      return json(
        {
          id: 'r2',
          since: '',
          until: '',
          mark: 'suspicious',
          conditions: {},
          note: '',
          createdAt: '',
          isFollowed: false,
        },
        { status: 201 },
      );
    }),
    http.delete('/api/platform/websites/{id}/traffic-rules/{ruleId}', () => {
      rules = [];
      return noContent();
    }),
  );
  const { user } = renderApp('/analytics?f=is,country,DE&f=is,source,a%255C%252Cb&f=not,device,mobile');
  await user.click(await screen.findByRole('button', { name: 'Reclassify…' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Reclassify traffic' }));
  const from = dialog.getByLabelText('From');
  await user.clear(from);
  await user.type(from, '2026-11-06');
  const to = dialog.getByLabelText('To');
  await user.clear(to);
  await user.type(to, '2026-11-06');
  expect(dialog.getByText('Applies to events that match the page filters: Country, Source.')).toBeInTheDocument();
  expect(dialog.getByText('Rules take one value per field. Ignored: Device.')).toBeInTheDocument();
  expect(await dialog.findByText('Partner: NordVPN, Excluded as: Too many from one address')).toBeInTheDocument();
  expect(dialog.getByText('Not applied yet: reports are being rebuilt.')).toBeInTheDocument();
  await user.click(dialog.getByRole('button', { name: 'Create rule' }));
  await waitFor(() =>
    expect(asked).toEqual([
      {
        since: '2026-11-06T00:00:00.000Z',
        until: '2026-11-07T00:00:00.000Z',
        mark: 'suspicious',
        note: '',
        country: 'DE',
        source: 'a,b',
      },
    ]),
  );
  await user.click(await dialog.findByRole('button', { name: /^Undo Bots from Nov 5/ }));
  expect(await dialog.findByText('No rules yet.')).toBeInTheDocument();
});

test('traffic is re-marked where nothing is left out yet', async () => {
  server.use(http.get('/api/platform/analytics/excluded-traffic', () => json([])));
  const { user } = renderApp('/analytics');
  await screen.findByText('No excluded traffic in this period.');
  await user.click(screen.getByRole('button', { name: 'Reclassify…' }));
  expect(await screen.findByRole('dialog', { name: 'Reclassify traffic' })).toBeInTheDocument();
});

test('rules that cannot be read are not taken for none', async () => {
  server.use(
    http.get('/api/platform/websites/{id}/traffic-rules', () => refuse(503, 'Not now'), { once: true }),
    http.get('/api/platform/websites/{id}/traffic-rules', () => json([])),
  );
  const { user } = renderApp('/analytics');
  await user.click(await screen.findByRole('button', { name: 'Reclassify…' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Reclassify traffic' }));
  expect(await dialog.findByText('Error loading the rules: Not now')).toBeInTheDocument();
  expect(dialog.queryByText('No rules yet.')).not.toBeInTheDocument();
  await user.click(dialog.getByRole('button', { name: 'Try again' }));
  expect(await dialog.findByText('No rules yet.')).toBeInTheDocument();
});

test('a card whose own call fails says so alone', async () => {
  server.use(http.get('/api/platform/analytics/delivery', () => refuse(500, 'Broken')));
  renderApp('/analytics');
  expect(await screen.findByText('Error loading Event delivery: Broken')).toBeInTheDocument();
  await waitFor(() => expect(kpi('Revenue')).toHaveTextContent('$984.25'));
  expect(screen.queryByText(/Error loading analytics/)).not.toBeInTheDocument();
});

test('nothing measured yet: each card says it', async () => {
  server.use(
    http.get('/api/platform/analytics/partners', () => json([])),
    http.get('/api/platform/analytics/geographic', () => json([])),
  );
  state.conversions = [];
  state.clicks = state.clicks.map((point) => ({ ...point, conversions: 0, revenue: 0 }));
  renderApp('/analytics');
  expect(await screen.findByText('No revenue and no conversions in this period.')).toBeInTheDocument();
  expect(await screen.findByText('No partner had a click or conversion in this period.')).toBeInTheDocument();
  expect(await screen.findByText('No clicks in this period.')).toBeInTheDocument();
  expect(await screen.findByText('No conversions in this period.')).toBeInTheDocument();
});

test('conversions are decided on their own page, which the status card leads to', async () => {
  renderApp('/analytics');
  expect(await screen.findByRole('link', { name: 'All conversions' })).toHaveAttribute(
    'href',
    '/conversions?website=w1',
  );
  expect(screen.queryByRole('button', { name: /^Approve/ })).not.toBeInTheDocument();
  expect(requests('GET /api/platform/conversions?')).toEqual([]);
});
