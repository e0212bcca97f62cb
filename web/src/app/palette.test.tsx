// Ctrl-K: what people look for, by the words that they use, and where it leads.
import { screen, waitFor, within } from '@testing-library/react';
import { delay } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import type { Found } from '@/features/search/api/search';
import type { PinnedChart, ListedQuery } from '@/features/sql/api/queries';
import { endSession, startSession } from '@/lib/session';
import { account, USER } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';

const OBJECTS: readonly Found[] = [
  { kind: 'website', id: 'w1', title: 'vpn-review.is', detail: '', websiteId: 'w1' },
  { kind: 'partner', id: 'p1', title: 'Hosting Partner', detail: '', websiteId: null },
  { kind: 'link', id: 'l1', title: 'vpn-deal', detail: 'NordVPN · vpn-review.is', websiteId: 'w1' },
  { kind: 'transaction', id: 'c1', title: 'ORDER-1', detail: 'pending · NordVPN', websiteId: 'w1' },
  { kind: 'thread', id: 't1', title: 'Which hosting converts?', detail: 'Case Studies', websiteId: null },
  { kind: 'listing', id: 'm1', title: 'Hosting compared', detail: 'hosting', websiteId: null },
];

beforeEach(() => {
  signIn();
  server.use(
    http.get('/api/platform/search', ({ request }) => {
      const words = new URL(request.url).searchParams.get('q')?.toLowerCase() ?? '';
      return json(OBJECTS.filter((item) => `${item.title} ${item.detail}`.toLowerCase().includes(words)));
    }),
  );
});

async function search(words: string) {
  const app = renderApp('/insights');
  await app.user.click(await screen.findByRole('button', { name: /^Search…/ }));
  const field = await screen.findByRole('combobox', { name: 'Search and commands' });
  await app.user.type(field, words);
  return { ...app, field, dialog: within(screen.getByRole('dialog', { name: 'Search and commands' })) };
}

test.each([
  ['link', 'Create link'],
  ['vpn', 'vpn-review.is'],
  ['api key', 'API keys'],
  ['postback', 'Postback URL and tokens'],
  ['replay', 'Replay events'],
  ['hosting', 'Hosting Partner'],
  ['partner', 'Add partner'],
  ['approve', 'Approve pending conversions'],
  ['google ads', 'Send conversions to ad platforms'],
  ['2fa', 'Two-factor sign-in'],
  ['rebuild', 'Projections and replays'],
  ['wordpress', 'WordPress'],
  ['order-1', 'ORDER-1'],
  ['profit', 'Profit: revenue less cost'],
  ['refund', 'Refunds and reversals'],
  ['invite a colleague', 'Invite a colleague'],
  ['bot', 'Bots and excluded traffic'],
  ['undo', 'Undo a change'],
  ['import', 'Import a network report'],
  ['network report', 'Import a network report'],
  ['awin', 'Import a network report'],
  ['reconcile', 'Import a network report'],
])('"%s" finds "%s"', async (words, title) => {
  const { dialog } = await search(words);
  await waitFor(() => {
    const found = dialog.getAllByRole('option').map((option) => option.textContent ?? '');
    expect(found.some((text) => text.startsWith(title))).toBe(true);
  });
});

test.each([
  ['vpn-review.is', '/dashboard?website=w1'],
  ['Hosting Partner', '/admin?tab=partners&partner=p1'],
  ['vpn-deal', '/links/l1'],
  ['ORDER-1', '/conversions?website=w1&open=c1'],
  ['Which hosting converts?', '/forum/thread/t1'],
  ['Hosting compared', '/marketplace/listing/m1'],
])('%s leads to %s', async (title, address) => {
  server.use(
    ...server.listHandlers(),
    http.any('*/api/*', () => refuse(503, 'Not now')),
  );
  const { user, dialog, router } = await search(title.slice(0, 7));
  const seen: string[] = []; // a page may take the row that it cannot load out of its address again
  router.subscribe('onBeforeLoad', ({ toLocation }) => seen.push(toLocation.href));
  await user.click(await dialog.findByRole('option', { name: new RegExp(`^${title.replace('?', '\\?')}`) }));
  await waitFor(() => expect(seen).toContain(address));
});

test('a member has no commands of admins; a partner leads to what it earned', async () => {
  startSession({ token: 'token-1', user: { ...USER, roles: ['member'] } });
  state.account = account({ roles: ['member'] });
  const { user, dialog, router, field } = await search('replay');
  await dialog.findByText('Nothing found.');
  await user.clear(field);
  await user.type(field, 'hosting p');
  await user.click(await dialog.findByRole('option', { name: 'Hosting Partner' }));
  await waitFor(() => expect(router.state.location.href).toBe('/analytics?f=is,partner,p1'));
});

test('arrow keys and Enter choose; the field keeps the focus and names the chosen row', async () => {
  const { user, field, dialog, router } = await search('order');
  const row = await dialog.findByRole('option', { name: /^ORDER-1/ });
  expect(field).toHaveFocus();
  expect(await dialog.findByText(/^\d+ results?$/)).toBeInTheDocument();
  await waitFor(() => expect(field).toHaveAttribute('aria-activedescendant', row.id));
  await user.keyboard('{Enter}');
  await waitFor(() => expect(router.state.location.href).toBe('/conversions?website=w1&open=c1'));
});

test('one letter is not sent, and typing on sends one search once it rests', async () => {
  const { user, dialog, field } = await search('v');
  await dialog.findAllByRole('option');
  await user.clear(field);
  await user.type(field, 'vpn');
  await dialog.findByRole('option', { name: 'vpn-review.is' });
  expect(requests('GET /api/platform/search')).toEqual(['GET /api/platform/search?q=vpn']);
});

test('a search that fails says so once; commands still work', async () => {
  server.use(http.get('/api/platform/search', () => refuse(503, 'Not now')));
  const { dialog, user, router } = await search('statements');
  expect(await dialog.findByRole('alert')).toHaveTextContent('Search is unavailable right now.');
  await user.click(dialog.getByRole('option', { name: 'Monthly statements' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/payouts/statements'));
});

test('while it searches, it does not say that there is nothing', async () => {
  server.use(
    http.get('/api/platform/search', async () => {
      await delay('infinite');
      return json([]);
    }),
  );
  const { dialog } = await search('zzzz');
  expect(await dialog.findByText('Searching…')).toBeInTheDocument();
  expect(dialog.queryByText('Nothing found.')).not.toBeInTheDocument();
});

test('"Create link" opens the dialog, wherever it is chosen', async () => {
  state.links = [];
  const { dialog, user } = await search('create link');
  await user.click(await dialog.findByRole('option', { name: 'Create link' }));
  expect(await screen.findByRole('dialog', { name: 'Create link' })).toBeInTheDocument();
});

const QUERY: ListedQuery = {
  id: 's1',
  title: 'Clicks by country',
  excerpt: 'SELECT 1',
  version: 1,
  isShared: true,
  isOwn: false,
  mayChange: false,
  authorName: 'Embla',
  createdAt: '2026-11-20T10:00:00Z',
  changedAt: '2026-11-20T10:00:00Z',
};
const PIN: PinnedChart = {
  id: 'c7',
  queryId: 's1',
  title: 'Countries of clicks',
  version: 1,
  kind: 'table',
  x: 'country',
  y: ['clicks'],
  parameters: {},
  pinnedAt: '2026-11-20T10:00:00Z',
};

function withQueries() {
  server.use(
    http.get('/api/platform/sql/queries', () => json([QUERY])),
    http.get('/api/platform/sql/pins', () => json([PIN, { ...PIN, id: 'c8', title: null }])),
  );
}

test.each([
  ['embla', 'Clicks by country', '/sql?query=s1'],
  ['countries', 'Countries of clicks', '/dashboard#pin-c7'],
])('an analyst finds saved queries and pinned charts: "%s" leads to %s', async (words, title, address) => {
  withQueries();
  const { user, dialog, router } = await search(words);
  const seen: string[] = [];
  router.subscribe('onBeforeLoad', ({ toLocation }) => seen.push(toLocation.href));
  await user.click(await dialog.findByRole('option', { name: title }));
  await waitFor(() => expect(seen).toContain(address));
});

test('the queries of analysts are not requested for a member', async () => {
  startSession({ token: 'token-1', user: { ...USER, roles: ['member'] } });
  state.account = account({ roles: ['member'] });
  withQueries();
  const { dialog } = await search('countries');
  await dialog.findByText('Nothing found.');
  expect(requests('GET /api/platform/sql')).toEqual([]);
});

test('signing out is a command', async () => {
  server.use(http.post('/api/platform/logout', () => noContent()));
  const { dialog, user, router } = await search('sign out');
  await user.click(await dialog.findByRole('option', { name: 'Sign out' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
});

test('a visitor finds pages and help, and sends nothing', async () => {
  endSession();
  const { user } = renderApp('/pricing');
  await screen.findByRole('heading', { level: 1 });
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await screen.findByRole('combobox', { name: 'Search and commands' }), 'postback');
  expect((await screen.findAllByRole('option')).length).toBeGreaterThan(0);
  expect(requests('GET /api/platform/search')).toEqual([]);
});
