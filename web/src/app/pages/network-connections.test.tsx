import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { NetworkConnection } from '@/features/networks/api/connections';
import { http, json, noContent, refuse } from '@/test/http';
import { networkConnection } from '@/test/networks';
import { renderApp, signIn } from '@/test/render';
import { server, state } from '@/test/server';

const CONNECTIONS = '/api/platform/networks/connections';
let held: NetworkConnection[];
let importReads: number;

const sent = (line: string) => state.seen.filter((item) => item.line === line).map((item) => item.body);
const table = async () => within(await screen.findByRole('table', { name: 'Connected networks table' }));

beforeEach(() => {
  signIn();
  held = [networkConnection()];
  importReads = 0;
  server.use(
    http.get('/api/platform/networks/imports', () => {
      importReads += 1;
      return json([]);
    }),
    http.get(CONNECTIONS, () => json(held)),
  );
});

test('each connection has its state, schedule, last and next read, and the import that it brought', async () => {
  held = [
    networkConnection({ nextAt: '2999-01-01T00:00:00Z' }),
    networkConnection({ id: 'nc2', network: 'cj', schedule: 'hourly', nextAt: '2999-01-01T00:00:00Z', importId: null }),
    networkConnection({
      ...{ id: 'nc3', network: 'impact', pulledAt: null, nextAt: null, isRefused: true, rows: 0, importId: null },
      problem: 'impact.com does not accept these credentials. Enter new ones.',
    }),
    networkConnection({
      id: 'nc4',
      problem: 'Awin answers with 500.',
      isPulling: true,
      nextAt: '2999-01-01T00:00:00Z',
    }),
  ];
  renderApp('/conversions/networks');
  const rows = (await table()).getAllByRole('row').slice(1);
  expect(rows.map((row) => row.textContent)).toEqual([
    expect.stringMatching(/^AwinConnectedEvery dayNov 20Last importJan 1, 2999, /),
    expect.stringMatching(/^CJ AffiliateConnectedEvery hourNov 2012 rowsJan 1, 2999, /),
    expect.stringMatching(
      /^impact\.comCredentials rejectedimpact\.com does not accept these credentials\. Enter new ones\.Every dayNot yet–$/,
    ),
    expect.stringMatching(/^AwinLast read failedAwin answers with 500\./),
  ]);
  expect(within(rows[2] as HTMLElement).queryByRole('button', { name: 'Read impact.com now' })).not.toBeInTheDocument();
  const last = within(rows[0] as HTMLElement).getByRole('link', { name: 'Last import' });
  expect(last).toHaveAttribute('href', '/conversions/networks/n1?website=w1');
});

test('a network is connected with the credentials that it requires', async () => {
  held = [];
  server.use(
    http.post(CONNECTIONS, () => {
      held = [networkConnection({ network: 'cj', pulledAt: null, importId: null })];
      return json(networkConnection({ network: 'cj' }), { status: 201 });
    }),
  );
  const { user } = renderApp('/conversions/networks');
  expect(await screen.findByText('No network connected yet. Connect one, or upload its report files.')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Connect a network' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Connect a network' }));
  expect(dialog.getByLabelText('Publisher ID')).toBeInTheDocument();
  expect(dialog.queryByLabelText('Account currency')).not.toBeInTheDocument();
  await user.selectOptions(dialog.getByLabelText('Network'), 'CJ Affiliate');
  expect(dialog.queryByLabelText('Publisher ID')).not.toBeInTheDocument();
  await user.click(dialog.getByRole('button', { name: 'Connect' }));
  expect(dialog.getByLabelText('Personal access token')).toHaveAccessibleDescription(
    /^Please enter the Personal access token/,
  );
  expect(sent(`POST ${CONNECTIONS}`)).toEqual([]);
  await user.type(dialog.getByLabelText('Company ID (CID)'), '5511');
  await user.type(dialog.getByLabelText('Personal access token'), 'a-token');
  await user.selectOptions(dialog.getByLabelText('Read reports'), 'Every hour');
  await user.clear(dialog.getByLabelText('Account currency'));
  await user.type(dialog.getByLabelText('Account currency'), 'EUR');
  await user.selectOptions(dialog.getByLabelText('Partner (optional)'), 'NordVPN');
  await user.click(dialog.getByRole('button', { name: 'Connect' }));
  expect((await table()).getAllByRole('row')[1]).toHaveTextContent(/^CJ Affiliate.*Not yet/);
  expect(sent(`POST ${CONNECTIONS}`)).toEqual([
    {
      websiteId: 'w1',
      network: 'cj',
      schedule: 'hourly',
      currency: 'EUR',
      partnerId: 'p1',
      credentials: { publisherId: '5511', token: 'a-token' },
    },
  ]);
});

test('what is wrong with the credentials is said in the dialog, and the secret is not shown', async () => {
  server.use(
    http.post(CONNECTIONS, () =>
      refuse(422, 'This is no publisherId of Awin.', 'bad_credentials', [
        { field: 'credentials', message: 'This is no publisherId of Awin.' },
      ]),
    ),
  );
  const { user } = renderApp('/conversions/networks');
  await user.click(await screen.findByRole('button', { name: 'Connect a network' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Connect a network' }));
  await user.type(dialog.getByLabelText('Publisher ID'), 'my shop');
  await user.type(dialog.getByLabelText('API token'), 'a-token');
  expect(dialog.getByLabelText('API token')).toHaveAttribute('type', 'password');
  await user.click(dialog.getByRole('button', { name: 'Connect' }));
  expect(await dialog.findByRole('alert')).toHaveTextContent('This is no publisherId of Awin.');
  expect(sent(`POST ${CONNECTIONS}`)).toEqual([
    {
      ...{ websiteId: 'w1', network: 'awin', schedule: 'daily' },
      credentials: { publisherId: 'my shop', token: 'a-token' },
    },
  ]);
});

test('the schedule changes alone, and credentials only as a whole', async () => {
  server.use(http.patch(`${CONNECTIONS}/{id}`, () => json(networkConnection())));
  const { user } = renderApp('/conversions/networks');
  await user.click((await table()).getByRole('button', { name: 'Change Awin' }));
  let dialog = within(await screen.findByRole('dialog', { name: 'Change the connection to Awin' }));
  await user.selectOptions(dialog.getByLabelText('Read reports'), 'Every hour');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  await user.click((await table()).getByRole('button', { name: 'Change Awin' }));
  dialog = within(await screen.findByRole('dialog', { name: 'Change the connection to Awin' }));
  await user.type(dialog.getByLabelText('API token'), 'new-token');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  expect(dialog.getByLabelText('Publisher ID')).toHaveAccessibleDescription('Please enter the Publisher ID');
  await user.type(dialog.getByLabelText('Publisher ID'), '4711');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(sent(`PATCH ${CONNECTIONS}/nc1`)).toEqual([
      { schedule: 'hourly', credentials: null },
      { schedule: 'daily', credentials: { publisherId: '4711', token: 'new-token' } },
    ]),
  );
});

test('a connection whose credentials are rejected requires new ones', async () => {
  held = [networkConnection({ isRefused: true, nextAt: null })];
  const { user } = renderApp('/conversions/networks');
  await user.click((await table()).getByRole('button', { name: 'Change Awin' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Change the connection to Awin' }));
  expect(dialog.getByText(/^The network does not accept the stored credentials\./)).toBeVisible();
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  expect(dialog.getByLabelText('API token')).toHaveAccessibleDescription(/^Please enter the API token/);
  expect(sent(`PATCH ${CONNECTIONS}/nc1`)).toEqual([]);
});

test('a pull by hand shows that it goes on, and its import appears in the list', async () => {
  held = [networkConnection({ nextAt: '2999-01-01T00:00:00Z' })];
  server.use(
    http.post(`${CONNECTIONS}/{id}/pull`, () => {
      held = [networkConnection({ nextAt: '2026-01-01T00:00:00Z', isPulling: true })];
      return json(networkConnection(), { status: 202 });
    }),
  );
  const { user } = renderApp('/conversions/networks');
  await user.click((await table()).getByRole('button', { name: 'Read Awin now' }));
  expect(await screen.findByText('Reading')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Read Awin now' })).toBeDisabled();
  const before = importReads;
  held = [networkConnection({ nextAt: '2999-01-01T00:00:00Z', importId: 'n2' })];
  expect(await screen.findByText('Connected', {}, { timeout: 5000 })).toBeInTheDocument();
  await waitFor(() => expect(importReads).toBeGreaterThan(before));
});

test('a pull that is not possible now says why', async () => {
  server.use(http.post(`${CONNECTIONS}/{id}/pull`, () => refuse(429, 'Try again in 5 minutes.', 'rate_limited')));
  held = [networkConnection({ nextAt: '2999-01-01T00:00:00Z' })];
  const { user } = renderApp('/conversions/networks');
  await user.click((await table()).getByRole('button', { name: 'Read Awin now' }));
  expect(await screen.findByText('Failed to read the reports')).toBeInTheDocument();
  expect(screen.getByText('Try again in 5 minutes.')).toBeInTheDocument();
});

test('a connection ends after a question', async () => {
  server.use(
    http.delete(`${CONNECTIONS}/{id}`, () => {
      held = [];
      return noContent();
    }),
  );
  const { user } = renderApp('/conversions/networks');
  await user.click((await table()).getByRole('button', { name: 'Disconnect Awin' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Disconnect Awin?' }));
  expect(dialog.getByText(/its credentials are deleted\. Imported sales stay\./)).toBeVisible();
  await user.click(dialog.getByRole('button', { name: 'Disconnect' }));
  expect(await screen.findByText('Awin disconnected')).toBeInTheDocument();
  expect(await screen.findByText(/^No network connected yet\./)).toBeInTheDocument();
});
