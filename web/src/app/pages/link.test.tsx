import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { link, overview, partner, trackedClick, website } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';

const HEBREW = 'המלצות הקיץ שלנו '.repeat(12).trim();

beforeEach(() => {
  signIn();
  state.partners = [partner()];
  state.links = [link({ tags: ['vpn'], folder: 'Spring', fallback: 'https://vpnreview.is/over' })];
});

test('a link has a page with its address, numbers, destinations, sources, places and clicks', async () => {
  state.overview = overview({ clicks: { total: 400, unique: 320 } });
  server.use(http.get('/api/platform/links/{id}/clicks', () => json([trackedClick()])));
  renderApp('/links/l1');
  expect(await screen.findByRole('heading', { name: 'nord', level: 1 })).toBeInTheDocument();
  expect(screen.getByText('NordVPN · vpnreview.is')).toBeInTheDocument();
  const address = within(screen.getByRole('region', { name: 'Address' }));
  expect(address.getByRole('group', { name: 'Link address' })).toHaveTextContent('http://t.example/go/nord');
  expect(address.getByRole('img', { name: 'QR code of http://t.example/go/nord' })).toHaveAttribute(
    'src',
    '/api/platform/links/l1/qr.svg',
  );
  expect(address.getByRole('link', { name: 'Download QR code' })).toHaveAttribute('download', 'nord.svg');
  const numbers = screen.getByRole('region', { name: 'Numbers' });
  await waitFor(() => expect(numbers).toHaveTextContent('Clicks400Unique320Conversions48Revenue$984.25EPC$2.46'));
  expect(screen.getByRole('region', { name: 'Destinations' })).toHaveTextContent(
    'Everyonehttps://nordvpn.com/When it is off or expiredhttps://vpnreview.is/over',
  );
  for (const [name, by] of [
    ['Sources', 'source'],
    ['Pages', 'page'],
    ['Placements', 'placement'],
    ['Countries', 'country'],
  ] as const) {
    const region = await screen.findByRole('region', { name });
    await waitFor(() => expect(region.querySelectorAll('li').length).toBeGreaterThan(0));
    expect(requests('GET /api/platform/analytics/breakdown')).toContainEqual(
      expect.stringContaining(`by=${by}&metrics=clicks&limit=6&timeRange=30d&filter=link%3Ais%3Al1`),
    );
  }
  const places = screen.getByRole('region', { name: 'Countries' }).querySelectorAll('li');
  expect([...places].map((row) => row.textContent)).toEqual(['Iceland900', 'Singapore300']);
  const sources = screen.getByRole('region', { name: 'Sources' }).querySelectorAll('li');
  expect([...sources].map((row) => row.textContent)).toEqual(['google900', 'Direct300']);
  await waitFor(() => expect(screen.getByRole('region', { name: 'Clicks' }).querySelectorAll('li')).toHaveLength(1));
  expect(screen.getByRole('link', { name: 'View in Analytics' })).toHaveAttribute(
    'href',
    '/analytics?website=w1&f=is,link,l1',
  );
});

test('the changes of a link say who made them, when, and the values before and after', async () => {
  server.use(
    http.get('/api/platform/links/{id}/history', () =>
      json([
        {
          version: 3,
          at: '2026-11-29T10:00:00Z',
          by: 'you',
          bulkId: 'b1',
          changes: [{ field: 'partner', before: 'NordVPN', after: HEBREW }],
        },
        {
          version: 2,
          at: '2026-11-20T10:00:00Z',
          by: 'someone else',
          bulkId: null,
          changes: [{ field: 'tags', before: 'vpn', after: '' }],
        },
        {
          version: 1,
          at: '2026-09-01T00:00:00Z',
          by: 'you',
          bulkId: null,
          changes: [{ field: 'destination', before: '', after: 'https://nordvpn.com/' }],
        },
      ]),
    ),
  );
  renderApp('/links/l1');
  const changes = await screen.findByRole('region', { name: 'Changes' });
  await waitFor(() => expect(within(changes).getAllByRole('term')).toHaveLength(3));
  const [moved, untagged, created] = within(changes).getAllByRole('listitem');
  expect(moved).toHaveTextContent(`YouNov 29, 10:00 GMTwith other linksPartnerNordVPN → ${HEBREW}`);
  expect(untagged).toHaveTextContent(/Someone else.*Tagsvpn → none/);
  expect(created).toHaveTextContent(/Created.*You.*Destinationhttps:\/\/nordvpn\.com\//);
});

test('the range is chosen on the page and stands in its address', async () => {
  const { user } = renderApp('/links/l1?range=7d');
  await screen.findByRole('region', { name: 'Numbers' });
  expect(requests('GET /api/platform/analytics/overview')).toContainEqual(
    expect.stringContaining('timeRange=7d&compare=none&filter=link%3Ais%3Al1'),
  );
  await user.selectOptions(screen.getByLabelText('Range'), 'All time');
  await waitFor(() =>
    expect(requests('GET /api/platform/analytics/overview')).toContainEqual(expect.stringContaining('timeRange=all')),
  );
});

test('a link that is not there, or of another account’s website, is not found', async () => {
  server.use(http.get('/api/platform/links/{id}', () => refuse(404, 'Link not found.', 'not_found')));
  renderApp('/links/no-such-link');
  expect(await screen.findByRole('heading', { name: '404 Page Not Found' })).toBeInTheDocument();
});

test('the former address of a link leads to its page', async () => {
  renderApp('/links?website=w1&link=l1');
  expect(await screen.findByRole('heading', { name: 'nord', level: 1 })).toBeInTheDocument();
});

test('who removes the link is on the list of links again', async () => {
  state.websites = [website()];
  server.use(http.delete('/api/platform/links/{id}', () => noContent()));
  const { user } = renderApp('/links/l1');
  await user.click(await screen.findByRole('button', { name: 'Actions of link nord' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Remove' }));
  await user.click(
    within(await screen.findByRole('dialog', { name: 'Remove this link?' })).getByRole('button', {
      name: 'Remove link',
    }),
  );
  expect(await screen.findByRole('heading', { name: 'Links', level: 1 })).toBeInTheDocument();
});

test('the clicks of a link say since when they are stored, and where that is set', async () => {
  const headers = { 'X-Events-Kept-From': '2026-03-01' };
  server.use(http.get('/api/platform/links/{id}/clicks', () => json([], { headers })));
  renderApp('/links/l1');
  expect(await screen.findByText(/Individual events are available from Mar 1, 2026 \(UTC\)\./)).toBeInTheDocument();
  expect(await screen.findByRole('link', { name: 'Retention settings' })).toHaveAttribute(
    'href',
    '/account-settings?tab=websites#retention-w1',
  );
});
