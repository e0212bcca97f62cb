// Spec, "AI Insights card" (screens), §8 "AI insights" (toasts).
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { link } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { seeEverything } from '@/test/seen';
import { http, json, noContent, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';
import { useToasts } from '@/stores/toasts';
import type { Insight } from '../api/insights';

const insight = (over: Partial<Insight> = {}): Insight => ({
  id: 'i1',
  insightType: 'warning',
  metric: 'conversions',
  title: 'No conversions from NordVPN this week',
  content: '412 clicks from Nov 13 to Nov 19 led to no conversion.',
  confidenceScore: 0.97,
  narratedBy: 'finder',
  about: { dimension: 'partner', value: 'p1', name: 'NordVPN' },
  evidence: [
    { label: 'Clicks', value: '412' },
    { label: 'Conversions', value: '0' },
  ],
  from: '2026-11-13',
  to: '2026-11-19',
  comparedFrom: '2026-10-16',
  comparedTo: '2026-11-12',
  filters: { timeRange: 'custom', from: '2026-11-13', to: '2026-11-19', partner: 'p1' },
  since: '2026-11-20T03:00:00Z',
  ...over,
});

beforeEach(() => {
  signIn();
  seeEverything();
});

const card = async () => within(await screen.findByRole('region', { name: 'AI-Powered Insights' }));

test('spec §2, AI insights, empty: the words of the specification', async () => {
  renderApp('/analytics');
  expect(
    await (await card()).findByText('No insights available yet. Click "Generate New" to analyze your data.'),
  ).toBeInTheDocument();
});

test('spec §2, §3: each insight: icon by type, title, content, confidence; decline and warning, and what is of no known type, are destructive', async () => {
  const kinds = ['growth', 'decline', 'opportunity', 'warning', 'of a later version'] as Insight['insightType'][];
  state.insights = kinds.map((insightType) => insight({ id: insightType, insightType, title: `About ${insightType}` }));
  renderApp('/analytics');
  const items = within(await (await card()).findByRole('list', { name: 'AI insights' })).getAllByRole('listitem');
  expect(items.map((item) => [item.querySelector('.sr-only')?.textContent, item.dataset['destructive']])).toEqual([
    ['Growth', 'false'],
    ['Decline', 'true'],
    ['Opportunity', 'false'],
    ['Warning', 'true'],
    ['Warning', 'true'],
  ]);
  expect(items[1]).toHaveTextContent('About decline');
  expect(items[1]).toHaveTextContent('412 clicks from Nov 13 to Nov 19 led to no conversion.');
  expect(items[1]).toHaveTextContent('Confidence: 97%');
});

test('evidence opens; the link leads to the dashboard with its days and filters', async () => {
  state.insights = [
    insight(),
    insight({
      id: 'i2',
      title: 'Robots',
      metric: 'clicks',
      about: null,
      filters: { timeRange: 'custom', from: '2026-11-13', to: '2026-11-19', bots: 'only' },
    }),
  ];
  const { user } = renderApp('/analytics');
  const list = within(await (await card()).findByRole('list', { name: 'AI insights' }));
  const button = list.getByRole('button', { name: 'Evidence of: No conversions from NordVPN this week' });
  expect(button).toHaveAttribute('aria-expanded', 'false');
  await user.click(button);
  expect(button).toHaveAttribute('aria-expanded', 'true');
  const figures = within(document.getElementById(button.getAttribute('aria-controls') ?? '') as HTMLElement);
  expect(figures.getAllByRole('definition').map((item) => item.textContent)).toEqual(['412', '0']);
  expect(figures.getByText(/^Nov 13.*Rule-based text\.$/)).toBeInTheDocument();
  expect(list.getByRole('link', { name: /of: No conversions/ })).toHaveAttribute(
    'href',
    '/analytics?website=w1&range=custom&from=2026-11-13&to=2026-11-19&compare=custom&compareFrom=2026-10-16&compareTo=2026-11-12&f=is,partner,p1&metric=conversions',
  );
  expect(list.getByRole('link', { name: /of: Robots/ })).toHaveAttribute(
    'href',
    '/analytics?website=w1&range=custom&from=2026-11-13&to=2026-11-19&compare=custom&compareFrom=2026-10-16&compareTo=2026-11-12&bots=only',
  );
});

test('an insight about a page leads to the page, whatever its path has', async () => {
  const about = { dimension: 'page', value: '/a,b|c', name: '/a,b|c' };
  state.insights = [insight({ about, filters: { filter: 'page:is:/a,b\\|c' } })];
  renderApp('/analytics');
  const list = within(await (await card()).findByRole('list', { name: 'AI insights' }));
  expect(list.getByRole('link', { name: /^View details/ }).getAttribute('href')).toContain(
    '&f=is,page,%252Fa%252Cb%257Cc&',
  );
});

test('an insight leads to an action: open the partner, pause the link, or dismiss it with a reason', async () => {
  const sent: unknown[] = [];
  state.insights = [
    insight(),
    insight({ id: 'i2', title: 'Silent link', about: { dimension: 'link', value: 'l1', name: '/deal' } }),
  ];
  server.use(
    http.patch('/api/platform/links/{id}', async ({ request }) => {
      sent.push(await request.json());
      return json(link());
    }),
    http.post('/api/analytics/{websiteId}/insights/{insightId}/dismiss', async ({ request, params }) => {
      sent.push([params['insightId'], await request.json()]);
      state.insights = state.insights.filter(({ id }) => id !== params['insightId']);
      return noContent();
    }),
  );
  const { user } = renderApp('/insights');
  const list = within(await (await card()).findByRole('list', { name: 'AI insights' }));
  expect(list.getByRole('link', { name: 'Open links of NordVPN' })).toHaveAttribute(
    'href',
    '/links?website=w1&partner=p1',
  );
  await user.click(await list.findByRole('button', { name: 'Pause link: /deal' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Pause link' }));
  expect(await screen.findByText('Link paused', { selector: 'p, div' })).toBeInTheDocument();
  await user.click(list.getByRole('button', { name: 'Dismiss: Silent link' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Dismiss insight' }));
  await user.click(dialog.getByRole('button', { name: 'Dismiss' }));
  expect(dialog.getByText('Please give a reason')).toBeInTheDocument();
  await user.type(dialog.getByLabelText('Reason'), 'Seasonal');
  await user.click(dialog.getByRole('button', { name: 'Dismiss' }));
  await waitFor(() => expect(list.queryByText('Silent link')).not.toBeInTheDocument());
  expect(sent).toEqual([{ isActive: false }, ['i2', { reason: 'Seasonal' }]]);
});

test('spec §2, §7, §8: Generate New: "Generating..." while pending, then the toast and what was found', async () => {
  let finish = (): void => undefined;
  const waiting = new Promise<void>((resolve) => (finish = resolve));
  server.use(
    http.post('/api/analytics/{websiteId}/ai-insights', async () => {
      await waiting;
      state.insights = [insight({ narratedBy: 'model' }), insight({ id: 'i2', title: 'Second' })];
      return json({ insights: state.insights, added: 2, tooLittleData: false, silence: null });
    }),
  );
  const { user } = renderApp('/analytics');
  const inside = await card();
  await user.click(await inside.findByRole('button', { name: 'Generate New' }));
  expect(inside.getByRole('button', { name: 'Generating...' })).toBeDisabled();
  finish();
  expect(await screen.findByText('AI Insights Generated')).toBeInTheDocument();
  expect(screen.getByText('Fresh insights have been generated based on your latest data.')).toBeInTheDocument();
  expect(await inside.findByText('Second')).toBeInTheDocument();
  expect(state.seen.find((item) => item.line.startsWith('POST'))).toMatchObject({
    line: 'POST /api/analytics/w1/ai-insights',
    body: null,
  });
  expect(
    inside.getByText('Some texts are AI-written, the others rule-based. Numbers come from your data.'),
  ).toBeInTheDocument();
  await waitFor(() => expect(requests('GET /api/analytics/w1/insights').length).toBe(2)); // the cached list was invalidated
});

test('spec §8: a failure is a toast, and what was there stays', async () => {
  state.insights = [insight()];
  server.use(http.post('/api/analytics/{websiteId}/ai-insights', () => refuse(503, 'Not now')));
  const { user } = renderApp('/analytics');
  const inside = await card();
  await user.click(await inside.findByRole('button', { name: 'Generate New' }));
  expect(await screen.findByText('Failed to generate AI insights. Please try again.')).toBeInTheDocument();
  expect(useToasts.getState().items).toMatchObject([{ title: 'Error', tone: 'destructive' }]);
  expect(inside.getByText('No conversions from NordVPN this week')).toBeInTheDocument();
});

test('without a model the card says so, and why', async () => {
  server.use(
    http.post('/api/analytics/{websiteId}/ai-insights', () => {
      state.insights = [insight()];
      return json({ insights: state.insights, added: 1, tooLittleData: false, silence: 'not_configured' });
    }),
  );
  const { user } = renderApp('/analytics');
  const inside = await card();
  await user.click(await inside.findByRole('button', { name: 'Generate New' }));
  expect(
    await inside.findByText('Rule-based text: AI is not configured. Numbers come from your data.'),
  ).toBeInTheDocument();
});

test.each([
  [
    { added: 1, silence: 'unavailable' },
    'AI Insights Generated',
    'Fresh insights have been generated based on your latest data. AI did not respond, so the text is rule-based.',
  ],
  [{ added: 0 }, 'No new insights', 'Your latest data was analyzed: the insights shown are still current.'],
  [{ added: 0, insights: [] }, 'No new insights', 'Your latest data was analyzed: no unusual changes.'],
  [
    { added: 0, insights: [], tooLittleData: true },
    'Not enough data yet',
    'Trends need five weeks of data. Until then only bot traffic is checked.',
  ],
])('the toast says what an analysis led to: %o', async (answer, title, text) => {
  server.use(
    http.post('/api/analytics/{websiteId}/ai-insights', () =>
      json({ insights: [insight()], tooLittleData: false, silence: null, ...answer }),
    ),
  );
  const { user } = renderApp('/analytics');
  await user.click(await (await card()).findByRole('button', { name: 'Generate New' }));
  await waitFor(() => expect(useToasts.getState().items).toMatchObject([{ title, description: text }]));
});

test('an analysis without a finding says so in place of the text for no analysis', async () => {
  server.use(
    http.post('/api/analytics/{websiteId}/ai-insights', () =>
      json({ insights: [], tooLittleData: false, silence: null, added: 0 }),
    ),
  );
  const { user } = renderApp('/analytics');
  const inside = await card();
  await user.click(await inside.findByRole('button', { name: 'Generate New' }));
  expect(await inside.findByText('Your latest data was analyzed: no unusual changes.')).toBeInTheDocument();
  expect(inside.queryByText(/No insights available yet/)).toBeNull();
});

test('an insight without a confidence shows none', async () => {
  state.insights = [
    insight({ confidenceScore: undefined as unknown as number }),
    insight({ id: 'i2', confidenceScore: null as unknown as number }),
  ];
  renderApp('/analytics');
  const items = within(await (await card()).findByRole('list', { name: 'AI insights' })).getAllByRole('listitem');
  expect(items).toHaveLength(2);
  for (const item of items) expect(item).not.toHaveTextContent(/Confidence|NaN/);
});

test('text of strangers is text', async () => {
  state.insights = [insight({ title: '<img src=x onerror=alert(1)> [a](javascript:alert(1))' })];
  renderApp('/analytics');
  expect(await (await card()).findByText('<img src=x onerror=alert(1)> [a](javascript:alert(1))')).toBeInTheDocument();
  expect(document.querySelector('img[src="x"]')).toBeNull();
});

test('insights that cannot be read say why and can be tried again', async () => {
  server.use(http.get('/api/analytics/{websiteId}/insights', () => refuse(503, 'Not now'), { once: true }));
  const { user } = renderApp('/analytics');
  const inside = await card();
  const box = await inside.findByRole('alert');
  expect(box).toHaveTextContent('Error loading insights: Not now');
  await user.click(within(box).getByRole('button', { name: 'Try again' }));
  expect(await inside.findByText(/No insights available yet/)).toBeInTheDocument();
});

test('the mail digest is chosen beside them', async () => {
  const sent: unknown[] = [];
  server.use(
    http.put('/api/platform/insights/digest', async ({ request }) => {
      sent.push(await request.json());
      return noContent();
    }),
  );
  const { user } = renderApp('/analytics');
  const choice = await (await card()).findByRole('combobox', { name: 'Email digest' });
  await waitFor(() => expect(choice).toBeEnabled());
  await user.selectOptions(choice, 'weekly');
  expect(await screen.findByText('You receive new insights by email weekly.')).toBeInTheDocument();
  expect(sent).toEqual([{ every: 'weekly' }]);
  expect(choice).toHaveValue('weekly');
});

test('the choice of mails is also where all other mails are chosen', async () => {
  server.use(
    http.get('/api/platform/notification-preferences', () => json([])),
    http.put('/api/platform/insights/digest', () => noContent()),
  );
  const { user } = renderApp('/account-settings?tab=notifications');
  const panel = within(await screen.findByRole('region', { name: 'Insights by email' }));
  await waitFor(() => expect(panel.getByRole('combobox', { name: 'Email digest' })).toBeEnabled());
  await user.selectOptions(panel.getByRole('combobox', { name: 'Email digest' }), 'daily');
  expect(await screen.findByText('You receive new insights by email daily.')).toBeInTheDocument();
});
