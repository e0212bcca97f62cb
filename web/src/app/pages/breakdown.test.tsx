import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse, type Ok } from '@/test/http';
import { requests, server } from '@/test/server';
import { breakdown } from '@/test/fixtures';
import { Seen, seeEverything } from '@/test/seen';

const BREAKDOWN = 'GET /api/platform/analytics/breakdown?';
const asked = (by: string) => requests(BREAKDOWN).filter((line) => line.includes(`by=${by}&`));
/** Found by attributes: roles of a whole page are slow to compute. */
const bar = (name: string) => screen.findByTitle(name);
const card = (name: string) =>
  within(document.querySelector<HTMLElement>(`section[aria-label="${name}"]`) as HTMLElement);
const viewAll = async (name: string) => {
  await bar('/a');
  return card(name).getByText(/^View all/);
};

beforeEach(() => {
  signIn();
  seeEverything();
});

test('each card requests its active tab only, and remembers the tab', async () => {
  const { user } = renderApp('/analytics');
  expect(await bar('/a')).toHaveTextContent('Filter by /a, Visitors 1,800');
  expect(asked('page')).toHaveLength(1);
  expect(asked('entry_page')).toHaveLength(0);
  await user.click(card('Pages').getByRole('tab', { name: 'Entry' }));
  await waitFor(() => expect(asked('entry_page')).toHaveLength(1));
  expect(localStorage.getItem('breakdown.pages')).toBe('entry_page');
});

test('what is out of view is not requested', async () => {
  vi.stubGlobal(
    'IntersectionObserver',
    class extends Seen {
      override observe() {}
    },
  );
  renderApp('/analytics');
  await screen.findByTestId('kpi-Revenue');
  expect(requests(BREAKDOWN)).toEqual([]);
});

test('bars show the chosen metric, remembered, beside revenue and EPC', async () => {
  const { user } = renderApp('/analytics');
  const metric = await screen.findByRole('combobox', { name: 'Metric of the bars' });
  await user.selectOptions(metric, 'Clicks');
  await waitFor(async () =>
    expect(await bar('/a')).toHaveTextContent('Filter by /a, Clicks 900, Revenue $1,800, EPC $2.00'),
  );
  await waitFor(() => expect(asked('page').at(-1)).toContain('sort=-clicks'));
  expect(localStorage.getItem('breakdown.metric.w1')).toBe('clicks');
});

test('a ranking has its own metric and order, and leaves out what has none', async () => {
  server.use(
    http.get('/api/platform/analytics/breakdown', ({ request }) => {
      const answer = breakdown(new URL(request.url).searchParams);
      const [first, second] = answer.rows;
      return json({ ...answer, rows: first && second ? [{ ...first, impressions: 0 }, second] : [] });
    }),
  );
  const { user } = renderApp('/analytics');
  await bar('/a');
  await user.click(card('Pages').getByRole('tab', { name: 'Per 1,000 visits' }));
  expect(await card('Pages').findByTitle('/a')).toHaveTextContent(
    'Filter by /a, Revenue per 1,000 visits $500.00, Visits 1,800, Revenue $1,800',
  );
  expect(asked('page').at(-1)).toContain('sort=-revenue_per_1000_visits');
  await user.click(card('Links').getByRole('tab', { name: 'Least clicked' }));
  expect(await card('Links').findByTitle('link 1')).toHaveTextContent('Clicks per 100 impressions 10.00%');
  expect(card('Links').queryByTitle('link 0')).not.toBeInTheDocument();
  expect(asked('link').at(-1)).toContain('sort=click_rate');
});

test('a click on a bar filters the page by exactly its value, and again no longer', async () => {
  const { user, router } = renderApp('/analytics');
  await user.click(await bar('/b|c'));
  expect(router.state.location.searchStr).toBe('?f=is,page,%252Fb%257Cc');
  expect(await screen.findByRole('button', { name: 'Remove filter Page /b|c' })).toBeInTheDocument();
  await waitFor(() =>
    expect(requests('GET /api/platform/analytics/overview?').at(-1)).toContain(
      `filter=${encodeURIComponent('page:is:/b\\|c')}`,
    ),
  );
  const picked = await bar('/b|c');
  await waitFor(() => expect(picked).toHaveAttribute('aria-pressed', 'true'));
  await user.click(picked);
  await waitFor(() => expect(router.state.location.searchStr).toBe(''));
});

test('the row without a value filters by no value', async () => {
  const { user, router } = renderApp('/analytics');
  await bar('/a');
  await user.click(card('Sources').getByRole('tab', { name: 'Source' }));
  await user.click(await card('Sources').findByTitle('Direct'));
  expect(router.state.location.searchStr).toBe('?f=is,source,%28none%29');
  await waitFor(() =>
    expect(requests('GET /api/platform/analytics/clicks?').at(-1)).toContain(
      `filter=${encodeURIComponent('source:is:')}`,
    ),
  );
});

test('an error appears once, in its card, and can be tried again', async () => {
  server.use(
    http.get('/api/platform/analytics/breakdown', ({ request }) => {
      const query = new URL(request.url).searchParams;
      return query.get('by') === 'page' ? refuse(503, 'Down') : json(breakdown(query));
    }),
  );
  const { user } = renderApp('/analytics');
  expect(await screen.findByText('Could not load: Down')).toBeInTheDocument();
  expect(screen.getAllByRole('alert')).toHaveLength(1);
  server.resetHandlers();
  await user.click(card('Pages').getByRole('button', { name: 'Try again' }));
  expect(await bar('/a')).toBeInTheDocument();
});

test('View all: totals, sorting, changes, columns that are remembered, a file, and an address of its own', async () => {
  const { user, router } = renderApp('/analytics?range=30d');
  await user.click(await viewAll('Pages'));
  await waitFor(() => expect(router.state.location.searchStr).toBe('?range=30d&details=page'));
  const dialog = within(await screen.findByRole('dialog', { name: 'Page' }));
  const table = await dialog.findByRole('table');
  const [, total, first] = within(table).getAllByRole('row');
  expect(total).toHaveTextContent('Total2,4004,8001,20048$1,845.00');
  expect(first).toHaveTextContent('/a1,800+20.0%');
  await user.click(within(table).getByRole('button', { name: /Revenue/ }));
  await waitFor(() => expect(asked('page').at(-1)).toContain('sort=-revenue'));
  await user.click(within(table).getByRole('button', { name: /Revenue/ }));
  await waitFor(() => expect(asked('page').at(-1)).toContain('sort=revenue'));
  expect(within(table).getByRole('columnheader', { name: /Revenue/ })).toHaveAttribute('aria-sort', 'ascending');
  await user.click(dialog.getByRole('button', { name: 'Columns (7 of 21)' }));
  await user.click(await screen.findByRole('checkbox', { name: 'Bounce rate' }));
  await user.keyboard('{Escape}');
  expect(await dialog.findByRole('columnheader', { name: /Bounce rate/ })).toBeInTheDocument();
  expect(localStorage.getItem('breakdown.columns.w1')).toContain('bounce_rate');
  expect(dialog.getByRole('link', { name: 'CSV' })).toHaveAttribute(
    'href',
    expect.stringMatching(/^\/api\/platform\/analytics\/breakdown\.csv\?websiteId=w1&timeRange=30d&.*sort=revenue/),
  );
});

test('View all: costs are read for a column of them alone, and the table says how they were spread', async () => {
  const { user } = renderApp('/analytics?details=page');
  const dialog = within(await screen.findByRole('dialog', { name: 'Page' }));
  const table = await dialog.findByRole('table');
  expect(asked('page').at(-1)).not.toMatch(/metrics=[^&]*cost/);
  await user.click(dialog.getByRole('button', { name: /^Columns/ }));
  await user.click(await screen.findByRole('checkbox', { name: 'Profit' }));
  await user.keyboard('{Escape}');
  await waitFor(() => expect(asked('page').at(-1)).toMatch(/metrics=[^&]*profit/));
  await waitFor(() => expect(within(table).getAllByRole('row')[1]).toHaveTextContent('$1,745.00'));
  expect(dialog.getByText(/, costs spread evenly$/)).toBeInTheDocument();
});

test('View all: search and further pages', async () => {
  const { user } = renderApp('/analytics?details=page');
  const dialog = within(await screen.findByRole('dialog', { name: 'Page' }));
  await user.type(dialog.getByRole('searchbox', { name: 'Search values' }), 'more');
  await waitFor(() => expect(asked('page').at(-1)).toContain('search=more'));
  await user.click(await dialog.findByRole('button', { name: 'Show more' }));
  await waitFor(() => expect(asked('page').at(-1)).toContain('cursor=two'));
  expect(await dialog.findByText('2 rows shown, all rows loaded')).toBeInTheDocument();
});

test('View all: a second dimension, and a value picked leads to the next one', async () => {
  const { user, router } = renderApp('/analytics?details=channel');
  const dialog = within(await screen.findByRole('dialog', { name: 'Channel' }));
  await user.selectOptions(dialog.getByRole('combobox', { name: 'Second dimension' }), 'Device');
  await waitFor(() => expect(router.state.location.searchStr).toBe('?details=channel,device'));
  await waitFor(() => expect(requests(BREAKDOWN).at(-1)).toContain('by=channel%2Cdevice'));
  await user.selectOptions(screen.getByRole('combobox', { name: 'Second dimension' }), 'No second dimension');
  await user.click(await screen.findByRole('button', { name: 'channel 0' }));
  await waitFor(() => expect(router.state.location.searchStr).toContain('details=source'));
  expect(await screen.findByRole('dialog', { name: 'Source' })).toBeInTheDocument();
  await user.click(await screen.findByText('Channel is channel 0'));
  await waitFor(() => expect(router.state.location.searchStr).toBe('?details=source'));
});

test('the map names its countries by keyboard, filters by one, and counts those that are too small for it', async () => {
  const { router } = renderApp('/analytics');
  const map = await screen.findByRole('slider', { name: 'World map: Visitors by country' });
  expect(screen.getByText('1 place not on the map: see Country.')).toBeInTheDocument();
  fireEvent.keyDown(map, { key: 'Home' });
  expect(map).toHaveAttribute('aria-valuetext', 'Iceland: 1,800 Visitors, $1,800.00 Revenue, $2.00 EPC');
  fireEvent.keyDown(map, { key: 'Enter' });
  await waitFor(() => expect(router.state.location.searchStr).toBe('?f=is,country,IS'));
});

test('the heat map moves by hour and by day', async () => {
  renderApp('/analytics');
  const hours = await screen.findByRole('slider', { name: 'Visitors by weekday and hour' });
  fireEvent.keyDown(hours, { key: 'Home' });
  expect(hours).toHaveAttribute('aria-valuetext', 'Mon 00:00: 0 Visitors, $0.00 Revenue, $0.00 EPC');
  for (let hour = 0; hour < 9; hour += 1) fireEvent.keyDown(hours, { key: 'ArrowRight' });
  expect(hours).toHaveAttribute('aria-valuetext', expect.stringMatching(/^Mon 09:00: 1,800 Visitors/));
  fireEvent.keyDown(hours, { key: 'ArrowDown' });
  expect(hours).toHaveAttribute('aria-valuetext', expect.stringMatching(/^Tue 09:00/));
});

test('filters suggest the values of the range, and texts can be searched by part and pattern', async () => {
  const { user, router } = renderApp('/analytics');
  await user.click(await screen.findByRole('button', { name: 'Add filter' }));
  await user.selectOptions(await screen.findByLabelText('Field'), 'page');
  await user.click(await screen.findByRole('checkbox', { name: '/a' }));
  await user.click(screen.getByRole('button', { name: 'Apply filter' }));
  await waitFor(() => expect(router.state.location.searchStr).toContain('f=is,page,'));
  await user.click(screen.getByRole('button', { name: 'Add filter' }));
  await user.selectOptions(await screen.findByLabelText('Field'), 'page');
  await user.selectOptions(screen.getByLabelText('Operator'), 'matches');
  await user.type(screen.getByLabelText('Value'), '/reviews/*');
  await user.click(screen.getByRole('button', { name: 'Apply filter' }));
  expect(await screen.findByRole('button', { name: 'Remove filter Page /reviews/*' })).toBeInTheDocument();
  await waitFor(() =>
    expect(requests('GET /api/platform/analytics/overview?').at(-1)).toContain(
      `filter=${encodeURIComponent('page:matches:/reviews/*')}`,
    ),
  );
  await user.click(screen.getByRole('button', { name: 'Add filter' }));
  await user.selectOptions(await screen.findByLabelText('Field'), 'partner');
  expect(within(screen.getByLabelText('Operator')).getAllByRole('option')).toHaveLength(2);
});

const event = (over = {}) => ({
  id: 'e1',
  type: 'conversion',
  occurredAt: '2026-11-20T11:00:00Z',
  receivedAt: '2026-11-20T11:00:00Z',
  isBot: false,
  reason: '',
  path: '/a',
  country: 'IS',
  device: 'mobile',
  source: 'google',
  linkId: 'l1',
  partnerId: 'p1',
  clickId: '',
  conversionId: 'c1',
  change: {
    pending: 1,
    approved: 0,
    rejected: 0,
    reversed: 0,
    commissionPending: 450,
    commissionApproved: 0,
    commissionReversed: 0,
  },
  topic: 'conversions',
  partition: 1,
  offset: 3071,
  ...over,
});

test('every number leads to its events, with their place in the log and the filters of the page', async () => {
  server.use(http.get('/api/platform/analytics/events', () => json([event()])));
  const { user } = renderApp('/analytics?f=is,country,IS');
  await user.click(await screen.findByRole('button', { name: 'View events: Revenue' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Events: Revenue' }));
  const [, row] = within(await drawer.findByRole('table')).getAllByRole('row');
  expect(row).toHaveTextContent('conversionNordVPN · nord/agoogleIcelandmobile+$4.50conversions[1]@3071');
  const asked = () => requests('GET /api/platform/analytics/events?').at(-1);
  expect(asked()).toContain('country=IS');
  expect(asked()).toContain('of=conversions');
  await user.click(drawer.getByRole('button', { name: 'Close' }));

  fireEvent.keyDown(await screen.findByRole('slider', { name: 'Clicks over time' }), { key: 'Home' });
  fireEvent.keyDown(screen.getByRole('slider', { name: 'Clicks over time' }), { key: 'Enter' });
  await screen.findByRole('dialog', { name: 'Events: Clicks, Sat, Nov 14, 2026' });
  expect(asked()).toContain('timeRange=custom&from=2026-11-14&to=2026-11-14&country=IS&of=clicks');
  await user.click(screen.getByRole('button', { name: 'Close' }));

  await bar('/a');
  await user.click(card('Pages').getByLabelText('View events of /a'));
  await screen.findByRole('dialog', { name: 'Events: /a' });
  expect(asked()).toContain(`filter=${encodeURIComponent('page:is:/a')}`);
  await user.click(screen.getByRole('button', { name: 'Close' }));

  await user.click(await viewAll('Pages'));
  const table = within(await screen.findByRole('dialog', { name: 'Page' }));
  await user.click(await table.findByRole('button', { name: '36' }));
  await screen.findByRole('dialog', { name: 'Events: Conversions, /a' });
  await waitFor(() => expect(asked()).toContain('of=conversions'));
});

test('the row of a link leads to its page', async () => {
  renderApp('/analytics');
  await bar('/a');
  expect(await card('Links').findByRole('link', { name: 'Page of link link 0' })).toHaveAttribute(
    'href',
    '/links/link%200',
  );
});

test('a click on a number draws it, and the address says which', async () => {
  const { user, router } = renderApp('/analytics');
  expect(await screen.findByRole('slider', { name: 'Clicks over time' })).toBeInTheDocument();
  const numbers = within(screen.getByRole('region', { name: 'Summary' }));
  expect(numbers.getAllByTestId(/^kpi-/).map((item) => item.dataset['testid'])).toEqual([
    'kpi-Total Clicks',
    'kpi-Visitors',
    'kpi-Conversions',
    'kpi-Revenue',
    'kpi-EPC',
    'kpi-Conversion Rate',
  ]);
  expect(screen.getByTestId('kpi-EPC')).toHaveTextContent('$0.82');
  await user.click(numbers.getByRole('button', { name: /^EPC/ }));
  expect(await screen.findByRole('slider', { name: 'EPC over time' })).toBeInTheDocument();
  expect(router.state.location.searchStr).toBe('?metric=epc');
});

test('when nothing can be read the page tells it once', async () => {
  server.use(http.any('*/api/platform/analytics/*', () => refuse(503, 'Down')));
  renderApp('/analytics');
  expect(await screen.findByText('Error loading analytics: Down')).toBeInTheDocument();
  await waitFor(() => expect(screen.getAllByText('Not available right now.').length).toBeGreaterThan(8));
  expect(screen.getAllByRole('alert')).toHaveLength(1);
});

test('annotations stand on the chart; own ones are added, changed and removed', async () => {
  let notes: Ok<'/api/platform/annotations'> = [
    { id: 'a1', kind: 'own', at: '2026-11-15T10:00:00Z', text: 'New page' },
    { id: null, kind: 'terms_changed', at: '2026-11-16T10:00:00Z', text: 'New terms of NordVPN' },
  ];
  const own = { id: 'a2', websiteId: 'w1', at: '2026-11-15T10:00:00Z', text: 'Sale' };
  const sent: unknown[] = [];
  server.use(
    http.get('/api/platform/annotations', () => json(notes)),
    http.post('/api/platform/annotations', async ({ request }) => {
      sent.push(await request.json());
      return json(own, { status: 201 });
    }),
    http.patch('/api/platform/annotations/{id}', async ({ request }) => {
      sent.push(await request.json());
      return json(own);
    }),
    http.delete('/api/platform/annotations/{id}', () => {
      notes = notes.slice(1);
      return noContent();
    }),
  );
  const { user } = renderApp('/analytics');
  const chart = await screen.findByRole('slider', { name: 'Clicks over time' });
  await waitFor(() => expect(requests('GET /api/platform/annotations?')).toHaveLength(1));
  fireEvent.keyDown(chart, { key: 'Home' });
  fireEvent.keyDown(chart, { key: 'ArrowRight' });
  await waitFor(() => expect(chart).toHaveAttribute('aria-valuetext', expect.stringMatching(/101.*New page$/)));
  await user.click(screen.getByRole('button', { name: 'Annotations' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Annotations' }));
  expect(await dialog.findByText('New terms of NordVPN')).toBeInTheDocument();
  expect(dialog.queryByRole('button', { name: 'Edit New terms of NordVPN' })).not.toBeInTheDocument();
  fireEvent.change(dialog.getByLabelText('Day'), { target: { value: '2026-11-17' } });
  await user.type(dialog.getByLabelText('Text'), 'Sale began');
  await user.click(dialog.getByRole('button', { name: 'Add annotation' }));
  await waitFor(() => expect(sent).toEqual([{ websiteId: 'w1', at: '2026-11-17T00:00:00.000Z', text: 'Sale began' }]));
  await user.click(dialog.getByRole('button', { name: 'Edit New page' }));
  await user.clear(dialog.getByLabelText('Text'));
  await user.type(dialog.getByLabelText('Text'), 'New pages');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent.at(-1)).toEqual({ at: '2026-11-15T00:00:00.000Z', text: 'New pages' }));
  await user.click(await dialog.findByRole('button', { name: 'Remove New page' }));
  await waitFor(() => expect(dialog.queryByText('New page')).not.toBeInTheDocument());
});

test('tabs that would be empty are hidden, but never the open one, and cost no request', async () => {
  localStorage.setItem('breakdown.links', 'sub2');
  const fetched = vi.spyOn(globalThis, 'fetch');
  renderApp('/analytics');
  const tabs = (name: string) =>
    card(name)
      .getAllByRole('tab')
      .map((tab) => tab.textContent);
  await waitFor(() => expect(tabs('Campaigns')).toEqual(['Campaign', 'Source']));
  expect(tabs('Links')).toEqual(['Link', 'Least clicked', 'Partner', 'Placement', 'Sub-ID 1', 'Sub-ID 2']);
  expect(tabs('Places')).toEqual(['Map', 'Country']);
  expect(tabs('Devices')).toEqual(['Device', 'Browser', 'OS']);
  expect(tabs('Pages')).toEqual(['Page', 'Per 1,000 visits', 'Entry', 'Exit']);
  const sent = fetched.mock.calls.map(([input]) => String(input)).filter((url) => url.includes('/reads?'));
  const together = sent.filter((url) => url.includes('used-dimensions'));
  expect(together).toHaveLength(1);
  expect(together[0]).toContain('analytics%2Foverview');
});

test('all tabs are there while it is not known which have data', async () => {
  server.use(http.get('/api/platform/analytics/used-dimensions', () => refuse(503, 'Down')));
  renderApp('/analytics');
  await waitFor(() => expect(card('Campaigns').getAllByRole('tab')).toHaveLength(5));
});
