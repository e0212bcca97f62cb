import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { components } from '@/lib/api/schema';
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

const BULK: components['schemas']['LinkBulk'] = {
  id: 'b1',
  websiteId: 'w1',
  kind: 'move',
  partnerName: 'Fjord VPN',
  find: '',
  replacement: '',
  addTags: [],
  folder: null,
  isArchived: null,
  undoes: null,
  links: 2,
  done: 2,
  changed: 1,
  failed: 1,
  state: 'finished',
  startedAt: '2026-11-30T10:00:00Z',
  endedAt: '2026-11-30T10:00:01Z',
};

const started = (): void => {
  const begun = { id: 'b1', links: 2, done: 0, state: 'running' } as const;
  server.use(
    http.post('/api/platform/links/changes', () => json(begun, { status: 201 })),
    http.post('/api/platform/links/changes/{id}/undo', () => json({ ...begun, id: 'b2' }, { status: 201 })),
    http.get('/api/platform/links/changes/{id}', ({ params }) =>
      json(params.id === 'b1' ? BULK : { ...BULK, id: 'b2', kind: 'undo', partnerName: null, failed: 0 }),
    ),
    http.get('/api/platform/links/changes/{id}/outcomes', () =>
      json([
        { linkId: 'l2', slug: 'wool', isChanged: false, code: 'has_routing', message: 'Its rules lead elsewhere.' },
      ]),
    ),
  );
};

test('several links are tagged or archived together', async () => {
  started();
  const { user } = renderApp('/links');
  await user.click(await screen.findByRole('checkbox', { name: 'Select link nord' }));
  await user.click(screen.getByRole('checkbox', { name: 'Select link wool' }));
  const bar = await screen.findByRole('group', { name: 'Selected links' });
  expect(bar).toHaveTextContent('2 links selected');
  await user.click(within(bar).getByRole('button', { name: 'Add tag' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Add a tag' }));
  await user.type(dialog.getByLabelText('Tag'), 'mail');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(state.seen.find(({ line }) => line === 'POST /api/platform/links/changes')?.body).toEqual({
      websiteId: 'w1',
      ids: ['l1', 'l2'],
      arrange: { addTags: ['mail'], removeTags: [] },
    }),
  );
  expect(screen.queryByRole('group', { name: 'Selected links' })).not.toBeInTheDocument();
});

test('all links are moved to another partner after a look at each destination, and back', async () => {
  started();
  state.partners = [partner(), partner({ id: 'p2', name: 'Fjord VPN', baseUrl: 'https://fjord.example/start' })];
  const planned = { code: null, message: null, others: 0, passesClickId: true };
  server.use(
    http.post('/api/platform/links/changes/plan', () =>
      json({
        links: 2,
        changed: 1,
        refused: 1,
        shown: [
          {
            ...planned,
            id: 'l2',
            slug: 'wool',
            before: 'https://nordvpn.com/',
            after: '',
            message: 'Its rules lead elsewhere.',
          },
          { ...planned, id: 'l1', slug: 'nord', before: 'https://nordvpn.com/', after: 'https://fjord.example/start' },
        ],
      }),
    ),
  );
  const { user } = renderApp('/links');
  const [name] = await screen.findAllByRole('button', { name: 'NordVPN' });
  if (name) await user.click(name);
  await waitFor(() => expect(asked.at(-1)?.get('partnerId')).toBe('p1'));
  await user.click(await screen.findByRole('checkbox', { name: 'Select all' }));
  await user.click(await screen.findByRole('button', { name: 'Move to partner' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Move links to another partner' }));
  await user.click(dialog.getByRole('radio', { name: 'Fjord VPN' }));
  const preview = within(await dialog.findByRole('region', { name: 'Preview' }));
  expect(preview.getByRole('status')).toHaveTextContent('1 link will change, 1 can’t');
  expect(preview.getByRole('list')).toHaveTextContent('nordhttps://nordvpn.com/https://fjord.example/start');
  expect(preview.getByRole('list')).toHaveTextContent('woolIts rules lead elsewhere.');
  await user.click(dialog.getByRole('button', { name: 'Move 1 link' }));
  const result = within(await screen.findByRole('region', { name: 'Change of links' }));
  expect(result.getByRole('status')).toHaveTextContent('1 link moved to Fjord VPN, 1 not');
  expect(await result.findByRole('list', { name: 'Not changed' })).toHaveTextContent('woolIts rules lead elsewhere.');
  expect(state.seen.find(({ line }) => line === 'POST /api/platform/links/changes')?.body).toEqual({
    websiteId: 'w1',
    ids: ['l1', 'l2'],
    move: { partnerId: 'p2', keepsPath: false },
  });
  await user.click(result.getByRole('button', { name: 'Undo' }));
  expect(await screen.findByText('1 link restored')).toBeInTheDocument();
  expect(requests('POST')).toContain('POST /api/platform/links/changes/b1/undo');
});

test('beyond the page, what the filter holds is changed', async () => {
  started();
  const headers = { Link: '</api/platform/links?cursor=next>; rel="next"' };
  server.use(http.get('/api/platform/links', () => json([NORD, WOOL], { headers })));
  const { user } = renderApp('/links?tag=vpn&search=no');
  await user.click(await screen.findByRole('checkbox', { name: 'Select all' }));
  const bar = within(await screen.findByRole('group', { name: 'Selected links' }));
  await user.click(bar.getByRole('button', { name: 'Select all that match' }));
  expect(bar.getByText('All links that match are selected')).toBeInTheDocument();
  await user.click(bar.getByRole('button', { name: 'Archive' }));
  await waitFor(() =>
    expect(state.seen.find(({ line }) => line === 'POST /api/platform/links/changes')?.body).toEqual({
      websiteId: 'w1',
      filter: { archived: 'exclude', tag: 'vpn', search: 'no' },
      arrange: { addTags: [], removeTags: [], isArchived: true },
    }),
  );
});

test('the name of a link leads to its page, and a copy has all but its slug', async () => {
  server.use(http.post('/api/platform/links', () => json(link({ id: 'l9' }), { status: 201 })));
  const { user } = renderApp('/links?range=7d');
  expect(await screen.findByRole('link', { name: 'nord' })).toHaveAttribute('href', '/links/l1?range=7d');
  await user.click(await screen.findByRole('button', { name: 'Actions of link nord' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Duplicate' }));
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

test('one link is archived from its menu', async () => {
  server.use(http.post('/api/platform/links/organize', () => json({ changed: 1 })));
  const { user } = renderApp('/links');
  await user.click(await screen.findByRole('button', { name: 'Actions of link nord' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Archive' }));
  expect(await screen.findByText('Link archived')).toBeInTheDocument();
  expect(state.seen.find(({ line }) => line === 'POST /api/platform/links/organize')?.body).toEqual({
    ids: ['l1'],
    addTags: [],
    removeTags: [],
    isArchived: true,
  });
});

test('the file of links has all that the filter holds', async () => {
  renderApp('/links?tag=vpn&search=no&archived=include');
  expect(await screen.findByRole('link', { name: 'Export CSV' })).toHaveAttribute(
    'href',
    '/api/platform/links.csv?websiteId=w1&archived=include&tag=vpn&search=no',
  );
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
  expect(within(form).getByLabelText('Which network?')).toHaveDisplayValue('Awin');
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

test.each([
  ['I don’t know', 'names', 'subid'],
  ['Direct program, no network', 'default', 'click_id'],
])('a newcomer who answers "%s" gets a partner that can pass a click ID', async (answer, postbackPreset, parameter) => {
  server.use(http.post('/api/platform/partners', () => json(partner({ id: 'p9' }), { status: 201 })));
  const { user } = renderApp('/links');
  await user.click(await screen.findByRole('button', { name: 'Create link' }));
  const dialog = await screen.findByRole('dialog', { name: 'Create link' });
  await user.click(within(dialog).getByRole('button', { name: 'Add a partner' }));
  const form = within(dialog).getByRole('group', { name: 'New partner' });
  expect(within(form).getByLabelText('Which network?')).toHaveDisplayValue('I don’t know');
  await user.selectOptions(within(form).getByLabelText('Which network?'), answer);
  expect(within(form).getByLabelText('Click ID parameter (optional)')).toHaveValue(parameter);
  await user.type(within(form).getByLabelText('Partner name'), 'Own Shop');
  await user.type(within(form).getByLabelText('Website'), 'own-shop.example');
  await user.type(within(form).getByLabelText('Commission (%)'), '8{Enter}');
  await waitFor(() =>
    expect(state.seen.find(({ line }) => line === 'POST /api/platform/partners')?.body).toMatchObject({
      postbackPreset,
      clickIdParameter: parameter,
    }),
  );
});

test('a link moves to another partner, whose address becomes its destination', async () => {
  const other = partner({ id: 'p2', name: 'Fjord VPN', baseUrl: 'https://fjord.example/start' });
  state.partners = [partner(), other];
  server.use(http.patch('/api/platform/links/{id}', () => json(link({ partnerId: 'p2' }))));
  const { user } = renderApp('/links');
  await user.click(await screen.findByRole('button', { name: 'Actions of link nord' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Edit' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit link' }));
  await user.selectOptions(await dialog.findByLabelText('Partner'), 'Fjord VPN');
  expect(dialog.getByLabelText('Destination')).toHaveValue('https://fjord.example/start');
  expect(dialog.getByLabelText('Partner')).toHaveAccessibleDescription(
    'The link keeps its address. Earlier clicks stay with NordVPN.',
  );
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(requests('PATCH')).toEqual(['PATCH /api/platform/links/l1']));
  expect(state.seen.find(({ line }) => line.startsWith('PATCH'))?.body).toEqual({
    partnerId: 'p2',
    destination: 'https://fjord.example/start',
  });
});

test('a destination on the site of another partner chooses that partner', async () => {
  state.partners = [partner(), partner({ id: 'p2', name: 'Fjord VPN', baseUrl: 'https://fjord.example/start' })];
  server.use(http.patch('/api/platform/links/{id}', () => json(link({ partnerId: 'p2' }))));
  const { user } = renderApp('/links');
  await user.click(await screen.findByRole('button', { name: 'Actions of link nord' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Edit' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit link' }));
  await dialog.findByRole('option', { name: 'Fjord VPN' });
  await user.clear(dialog.getByLabelText('Destination'));
  await user.type(dialog.getByLabelText('Destination'), 'https://www.fjord.example/deal');
  expect(dialog.getByLabelText('Partner')).toHaveDisplayValue('Fjord VPN');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(state.seen.find(({ line }) => line.startsWith('PATCH'))?.body).toEqual({
      partnerId: 'p2',
      destination: 'https://www.fjord.example/deal',
    }),
  );
});
