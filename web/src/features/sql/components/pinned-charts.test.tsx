import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderApp, signIn } from '@/test/render';
import { startSession } from '@/lib/session';
import { USER, website } from '@/test/fixtures';
import { http, json, noContent, refuse } from '@/test/http';
import { server } from '@/test/server';
import type { PinnedChart, SqlResult } from '../api/queries';

const pin = (over: Partial<PinnedChart> = {}): PinnedChart => ({
  id: 'p1',
  queryId: 's1',
  title: 'Clicks by day',
  version: 2,
  kind: 'table',
  x: 'day',
  y: ['clicks'],
  parameters: { site: 'w1' },
  pinnedAt: '2026-11-20T10:00:00Z',
  ...over,
});
const RESULT: SqlResult = {
  queryId: 'q1',
  columns: [
    { name: 'day', type: 'Date' },
    { name: 'clicks', type: 'UInt64' },
  ],
  rows: [['2026-11-20', '17']],
  truncated: false,
  statistics: { rows: 1, rowsRead: null, elapsedMs: 7 },
};

const dashboard = (...pins: PinnedChart[]) => dashboardAt('/dashboard', ...pins);

function dashboardAt(path: string, ...pins: PinnedChart[]) {
  const seen: string[] = [];
  server.use(
    http.get('/api/platform/sql/pins', () => json(pins)),
    http.get('/api/platform/sql/pins/{id}/result', ({ request, params }) => {
      seen.push(`${String(params['id'])}${new URL(request.url).search}`);
      return json(RESULT, { headers: { 'X-As-Of': '2026-11-20T10:00:00Z' } });
    }),
    http.post('/api/platform/sql/pins', async ({ request }) => {
      seen.push(JSON.stringify(await request.json()));
      return json(pin({ id: 'p2' }), { status: 201 });
    }),
    http.delete('/api/platform/sql/pins/{id}', ({ params }) => {
      seen.push(`deleted ${String(params['id'])}`);
      return noContent();
    }),
  );
  startSession({ token: 'token-1', user: { ...USER, roles: ['member', 'analyst'] } });
  return { seen, ...renderApp(path) };
}

/** Printing shows everything, as scrolling does piece by piece. */
const look = () => fireEvent(window, new Event('beforeprint'));

test('a pinned chart shows its rows, their time and the way to the query; it is read once, in view', async () => {
  const { seen, user } = dashboard(pin());
  const card = await screen.findByRole('region', { name: 'Clicks by day' });
  expect(seen).toEqual([]);
  look();
  expect(await within(card).findByText('17')).toBeInTheDocument();
  expect(card).toHaveTextContent(/As of Nov 20/);
  expect(within(card).getByRole('link', { name: 'Open query' })).toHaveAttribute('href', '/sql?query=s1&p_site=w1');
  expect(seen).toEqual(['p1']);
  await user.click(within(card).getByRole('button', { name: 'Refresh Clicks by day' }));
  await waitFor(() => expect(seen).toEqual(['p1', 'p1?refresh=true']));
});

test('unpinning can be undone', async () => {
  const { seen, user } = dashboard(pin());
  await user.click(await screen.findByRole('button', { name: 'Unpin Clicks by day' }));
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  const again = { queryId: 's1', kind: 'table', x: 'day', y: ['clicks'], parameters: { site: 'w1' } };
  await waitFor(() => expect(seen.slice(-2)).toEqual(['deleted p1', JSON.stringify(again)]));
});

test('a query that is gone is not run; one that fails says why', async () => {
  const { seen } = dashboard(pin({ id: 'p1', title: null, version: null }), pin({ id: 'p2', title: 'Wrong' }));
  server.use(
    http.get('/api/platform/sql/pins/{id}/result', ({ params }) => {
      seen.push(String(params['id']));
      return refuse(400, 'Line 1, column 8: There is no column domein.');
    }),
  );
  expect(await screen.findByText('This query was deleted, or is no longer shared with you.')).toBeInTheDocument();
  const card = await screen.findByRole('region', { name: 'Wrong' });
  look();
  expect(await within(card).findByRole('alert')).toHaveTextContent('There is no column domein.');
  expect(seen).toEqual(['p2']);
});

test('who runs no SQL has no such section', async () => {
  signIn();
  renderApp('/dashboard');
  await screen.findByRole('heading', { name: 'Dashboard' });
  expect(screen.queryByRole('region', { name: 'Pinned charts' })).not.toBeInTheDocument();
});

test('an address that names a pinned chart scrolls to it', async () => {
  const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(() => undefined);
  dashboardAt('/dashboard#pin-p9', pin(), pin({ id: 'p9', title: 'Sales by day' }));
  const card = await screen.findByRole('region', { name: 'Sales by day' });
  await waitFor(() => expect(scrolled.mock.contexts.some((item) => (item as Element).contains(card))).toBe(true));
  const other = screen.getByRole('region', { name: 'Clicks by day' });
  expect(scrolled.mock.contexts.some((item) => (item as Element).contains(other))).toBe(false);
});

test('a pinned chart over events that have expired says so', async () => {
  dashboard(pin());
  const headers = { 'X-As-Of': '2026-11-20T10:00:00Z', 'X-Events-Kept-From': '2026-03-01' };
  server.use(http.get('/api/platform/sql/pins/{id}/result', () => json(RESULT, { headers })));
  const card = within(await screen.findByRole('region', { name: 'Clicks by day' }));
  look();
  expect(await card.findByText(/Individual events are available from Mar 1, 2026 \(UTC\)\./)).toBeInTheDocument();
});

test('a result of the SQL page over events that have expired says so, also without rows', async () => {
  const headers = { 'X-Events-Kept-From': '2026-03-01' };
  server.use(
    http.get('/api/platform/sql/schema', () => refuse(503, 'Try again.')),
    http.get('/api/platform/sql/tokens', () => json([])),
    http.post('/api/platform/sql', () => json({ ...RESULT, rows: [] }, { headers })),
    http.get('/api/platform/websites', () => json([website(), website({ id: 'w2', domain: 'shop.is' })])),
  );
  const { user } = dashboardAt('/sql');
  await user.click(await screen.findByRole('button', { name: 'Run' }));
  expect(await screen.findByText('No rows.')).toBeInTheDocument();
  expect(
    await screen.findByText(/Individual events of some websites are only available from Mar 1, 2026 \(UTC\)\./),
  ).toBeInTheDocument();
  expect(await screen.findByRole('link', { name: 'Retention settings' })).toHaveAttribute(
    'href',
    '/account-settings?tab=websites',
  );
});
