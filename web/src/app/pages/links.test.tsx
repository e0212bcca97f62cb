import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { link, partner } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { http, json } from '@/test/http';
import { requests, server, state } from '@/test/server';

let asked: URLSearchParams[] = [];
const NORD = link({ tags: ['vpn'], folder: 'Spring' });
const WOOL = link({ id: 'l2', slug: 'wool', url: 'http://t.example/go/wool', passesClickId: false, clicks: 0 });

beforeEach(() => {
  signIn();
  asked = [];
  state.partners = [partner()];
  server.use(
    http.get('/api/platform/links', ({ request }) => {
      asked.push(new URL(request.url).searchParams);
      return json([NORD, WOOL]);
    }),
    http.get('/api/platform/links/labels', () =>
      json({ tags: [{ name: 'vpn', links: 1 }], folders: [{ name: 'Spring', links: 1 }] }),
    ),
    http.get('/api/platform/links/{id}/clicks', () => json([])),
    http.get('/api/platform/analytics/geographic', () => json([])),
  );
});

test('links are listed with the figures of the range, which is said', async () => {
  renderApp('/links');
  const table = await screen.findByRole('region', { name: 'Links of vpnreview.is' });
  expect(screen.getByText('Clicks, conversions and revenue: last 30 days, bots excluded')).toBeInTheDocument();
  const [, first, second] = within(table).getAllByRole('row');
  expect(first).toHaveTextContent(/nord.*NordVPN · https:\/\/nordvpn\.com\/.*Spring.*vpn.*412/);
  expect(second).toHaveTextContent('Can’t pass a click ID');
  expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({ websiteId: 'w1', timeRange: '30d', sort: 'created' });
});

test('search, labels, order and range stand in the address and in the request', async () => {
  const { user } = renderApp('/links?range=7d&sort=epc');
  await screen.findByRole('region', { name: 'Links of vpnreview.is' });
  expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({ timeRange: '7d', sort: 'epc' });
  await user.selectOptions(screen.getByLabelText('Tag'), 'vpn (1)');
  await user.selectOptions(screen.getByLabelText('Folder'), 'Spring (1)');
  await user.selectOptions(screen.getByLabelText('Range'), 'All time');
  await waitFor(() =>
    expect(Object.fromEntries(asked.at(-1) ?? [])).toMatchObject({ tag: 'vpn', folder: 'Spring', sort: 'epc' }),
  );
  expect(asked.at(-1)?.has('timeRange')).toBe(false);
});

test('several links are tagged or archived together', async () => {
  server.use(http.post('/api/platform/links/organize', () => json({ changed: 2 })));
  const { user } = renderApp('/links');
  await user.click(await screen.findByRole('checkbox', { name: 'Select link nord' }));
  await user.click(screen.getByRole('checkbox', { name: 'Select link wool' }));
  const bar = screen.getByRole('group', { name: 'Selected links' });
  expect(bar).toHaveTextContent('2 links selected');
  await user.click(within(bar).getByRole('button', { name: 'Add tag' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Add a tag' }));
  await user.type(dialog.getByRole('combobox', { name: 'Tag' }), 'mail{Enter}');
  expect(await screen.findByText('2 links changed', { exact: true })).toBeInTheDocument();
  expect(state.seen.findLast(({ line }) => line === 'POST /api/platform/links/organize')?.body).toEqual({
    ids: ['l1', 'l2'],
    addTags: ['mail'],
    removeTags: [],
  });
  expect(screen.queryByRole('group', { name: 'Selected links' })).not.toBeInTheDocument();
});

test('a link opens with its figures, sources, places and clicks, and is duplicated without its slug', async () => {
  server.use(http.post('/api/platform/links', () => json(link({ id: 'l9' }), { status: 201 })));
  const { user } = renderApp('/links');
  await user.click(await screen.findByRole('button', { name: 'Details of link nord' }));
  const drawer = await screen.findByRole('dialog', { name: 'Link nord' });
  expect(within(drawer).getByRole('region', { name: 'Numbers' })).toHaveTextContent('Last 30 daysClicks412');
  expect(await within(drawer).findByText('No clicks yet.')).toBeInTheDocument();
  for (const [name, by] of [
    ['Sources', 'source'],
    ['Places', 'country'],
  ] as const) {
    expect((await within(drawer).findByRole('region', { name })).querySelectorAll('li').length).toBeGreaterThan(0);
    expect(requests('GET /api/platform/analytics/breakdown')).toContainEqual(
      expect.stringMatching(new RegExp(`by=${by}&metrics=clicks&limit=6&timeRange=30d&filter=link%3Ais%3A`)),
    );
  }
  await user.keyboard('{Escape}');
  await user.click(screen.getByRole('button', { name: 'Duplicate link nord' }));
  const dialog = await screen.findByRole('dialog', { name: 'Create link' });
  expect(within(dialog).getByLabelText('Slug (optional)')).toHaveValue('');
  await user.click(within(dialog).getByRole('button', { name: 'Create link' }));
  await waitFor(() => expect(requests('POST')).toContain('POST /api/platform/links'));
  expect(state.seen.find(({ line }) => line === 'POST /api/platform/links')?.body).toMatchObject({
    partnerId: 'p1',
    destination: 'https://nordvpn.com/',
    tags: ['vpn'],
    folder: 'Spring',
  });
});

test('a partner that is missing is added in place and selected', async () => {
  const added = partner({
    id: 'p9',
    name: 'Fjord Outdoor',
    baseUrl: 'https://www.awin1.com/',
    isPrivate: true,
    clickIdParameter: 'clickref',
  });
  server.use(
    http.post('/api/platform/partners', () => {
      state.partners = [partner(), partner({ id: 'p2', name: 'Other' }), added];
      return json(added, { status: 201 });
    }),
    http.post('/api/platform/links', () => json(link({ id: 'l9' }), { status: 201 })),
  );
  state.partners = [partner(), partner({ id: 'p2', name: 'Other' })];
  const { user } = renderApp('/links');
  await user.click(await screen.findByRole('button', { name: 'Create link' }));
  const dialog = await screen.findByRole('dialog', { name: 'Create link' });
  await user.click(within(dialog).getByRole('button', { name: 'Add a partner' }));
  const form = within(dialog).getByRole('group', { name: 'New partner' });
  expect(within(form).getByLabelText('Partner name')).toHaveFocus();
  await user.keyboard('{Enter}');
  expect(within(form).getByLabelText('Partner name')).toHaveAccessibleDescription('Enter a name');
  await user.type(within(form).getByLabelText('Partner name'), 'Fjord Outdoor');
  await user.type(within(form).getByLabelText('Website'), 'www.awin1.com');
  expect(within(form).getByLabelText('Network')).toHaveDisplayValue('Awin');
  expect(form).toHaveTextContent('Links pass the click ID as clickref.');
  await user.type(within(form).getByLabelText('Commission (%)'), '8{Enter}');
  await waitFor(() => expect(within(dialog).getByLabelText('Partner')).toHaveDisplayValue('Fjord Outdoor (private)'));
  expect(requests('POST')).not.toContain('POST /api/platform/links');
  expect(state.seen.find(({ line }) => line === 'POST /api/platform/partners')?.body).toMatchObject({
    name: 'Fjord Outdoor',
    baseUrl: 'https://www.awin1.com',
    commission: 8,
  });
  await user.click(within(dialog).getByRole('button', { name: 'Create link' }));
  await waitFor(() =>
    expect(state.seen.find(({ line }) => line === 'POST /api/platform/links')?.body).toMatchObject({ partnerId: 'p9' }),
  );
});

test('the clicks of a link say since when they are stored, and where that is set', async () => {
  const headers = { 'X-Events-Kept-From': '2026-03-01' };
  server.use(http.get('/api/platform/links/{id}/clicks', () => json([], { headers })));
  const { user } = renderApp('/links');
  await user.click(await screen.findByRole('button', { name: 'Details of link nord' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Link nord' }));
  expect(await drawer.findByText(/Individual events are available from Mar 1, 2026 \(UTC\)\./)).toBeInTheDocument();
  expect(await drawer.findByRole('link', { name: 'Retention settings' })).toHaveAttribute(
    'href',
    '/account-settings?tab=websites#retention-w1',
  );
});
