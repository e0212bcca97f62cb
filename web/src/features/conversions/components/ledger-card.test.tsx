import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { ScheduledDecision } from '@/lib/api/types';
import { conversion, totals } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { http, json, refuse, type Answer } from '@/test/http';
import { requests, server, state } from '@/test/server';
import { matchingOf } from '../api/decisions';
import { explanation, statements } from '@/test/money';
import type { FlatSearch } from '@/lib/url/search';
import { daysOf } from '../lib/ranges';
import { addMonths, readState, writeState } from '../lib/search';

const DECISIONS = '/api/platform/conversions/decisions';
const sent = (path: string) => state.seen.filter((item) => item.line === `POST ${path}`).map((item) => item.body);
const usd = (amount: number) => ({ amount, currency: 'USD' });

/** Schedules what is named, but what `refused` says; all have a commission of $30.00. */
const scheduling = (refused: ScheduledDecision['refused'] = []) =>
  http.post(DECISIONS, async ({ request }) => {
    const { ids = [], decision } = (await request.clone().json()) as { ids?: string[]; decision: string };
    const count = ids.length - refused.length;
    return json(
      {
        id: 'd1',
        decision,
        dueAt: new Date(Date.now() + 600_000).toISOString(),
        count,
        commission: usd(3000 * count),
        refused,
        more: false,
        last: null,
      },
      { status: 201, headers: { 'X-Position': 'domain@9' } },
    );
  });

beforeEach(() => {
  signIn();
  state.conversions = [
    conversion(),
    conversion({ id: 'c2', txid: 'ORD-2' }),
    conversion({ id: 'c3', txid: 'ORD-3', status: 'approved', payableAt: '2026-12-20T12:00:00Z', conflicts: 1 }),
  ];
  server.use(
    http.get('/api/platform/conversions/{id}/explain', () => json(explanation())),
    http.get('/api/platform/statements', () => json(statements())),
  );
});

test('the address is the state, and nonsense in it is ignored', () => {
  const state = readState({
    website: 'w1',
    view: 'statements',
    search: 'ORD',
    status: 'approved',
    partner: 'p1',
    attributed: 'no',
    kind: 'lead',
    reportedBy: 'postback',
    country: 'DE',
    sub3: 'a,b',
    sort: '-amount',
    from: '2026-11-02',
    to: '2026-11-20',
    month: '2026-10',
    open: 'c1',
  });
  expect(state.texts).toEqual({ country: 'DE', sub3: 'a,b' });
  expect(readState(writeState(state))).toEqual(state);
  expect(writeState(readState({ view: 'x', status: 'x', from: 'x', month: '2026-13', sort: 'x', range: 'x' }))).toEqual(
    {},
  );
  expect(readState({ from: '2026-11-20', to: '2026-11-02' })).toMatchObject({ from: '2026-11-02', to: '2026-11-20' });
  expect(readState({ range: 'today', from: '2026-11-20' })).toMatchObject({ range: 'today', from: null });
  expect([addMonths('2026-01', -1), addMonths('2026-12', 1)]).toEqual(['2025-12', '2027-01']);
});

test('ranges are whole days of the website’s zone', () => {
  const now = new Date('2026-03-01T03:00:00Z');
  expect(daysOf('today', 'America/New_York', now)).toEqual({ from: '2026-02-28', to: '2026-02-28' });
  expect(daysOf('yesterday', 'UTC', now)).toEqual({ from: '2026-02-28', to: '2026-02-28' });
  expect(daysOf('7d', 'UTC', now)).toEqual({ from: '2026-02-23', to: '2026-03-01' });
  expect(daysOf('this_month', 'UTC', now)).toEqual({ from: '2026-03-01', to: '2026-03-01' });
  expect(daysOf('last_month', 'UTC', now)).toEqual({ from: '2026-02-01', to: '2026-02-28' });
  expect(daysOf('last_month', 'UTC', new Date('2026-01-15T00:00:00Z'))).toEqual({
    from: '2025-12-01',
    to: '2025-12-31',
  });
  expect(daysOf('this_quarter', 'UTC', now)).toEqual({ from: '2026-01-01', to: '2026-03-01' });
  expect(daysOf('last_quarter', 'UTC', now)).toEqual({ from: '2025-10-01', to: '2025-12-31' });
  expect(daysOf('this_week', 'UTC', now)).toEqual({ from: '2026-02-23', to: '2026-03-01' });
  expect(daysOf('last_week', 'UTC', now)).toEqual({ from: '2026-02-16', to: '2026-02-22' });
  expect(daysOf('12m', 'UTC', now)).toEqual({ from: '2025-04-01', to: '2026-03-01' });
  expect(daysOf('last_year', 'UTC', now)).toEqual({ from: '2025-01-01', to: '2025-12-31' });
});

test('pending ones are approved together, after their number and sum are named, and can be undone', async () => {
  server.use(
    scheduling(),
    http.post('/api/platform/conversions/decisions/{id}/undo', () => json({ id: 'd1', state: 'undone' })),
  );
  const { user } = renderApp('/conversions');
  await user.click(await screen.findByRole('checkbox', { name: 'Select all pending shown' }));
  expect(screen.getByRole('checkbox', { name: 'Select ORD-3' })).not.toBeChecked();
  const selection = within(screen.getByRole('region', { name: 'Selection' }));
  expect(selection.getByText('2 selected')).toBeInTheDocument();
  await user.click(selection.getByRole('button', { name: 'Approve' }));
  const dialog = await screen.findByRole('dialog', { name: 'Approve 2 conversions?' });
  expect(dialog).toHaveTextContent('This approves $60.00 in commission. You can undo it for 10 seconds.');
  expect(sent(DECISIONS)).toEqual([]);
  await user.click(within(dialog).getByRole('button', { name: 'Approve' }));
  expect(await screen.findByText('Approving 2 conversions', { exact: true })).toBeInTheDocument();
  expect(screen.getByText('Final in 10 seconds · $60.00 in commission', { exact: true })).toBeInTheDocument();
  expect(sent(DECISIONS)).toEqual([{ websiteId: 'w1', decision: 'approve', ids: ['c1', 'c2'] }]);
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Selection' })).not.toBeInTheDocument());
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  expect(await screen.findByText('Undone', { exact: true })).toBeInTheDocument();
  expect(sent('/api/platform/conversions/decisions/d1/undo')).toEqual([{}]);
});

test('the list is read again after a decision, and after its undo', async () => {
  const dueAt = new Date(Date.now() + 600_000).toISOString();
  state.conversions = [conversion()];
  server.use(
    http.post(DECISIONS, () => {
      state.conversions = [conversion({ decision: { id: 'd1', decision: 'approve', dueAt } })];
      const decided = { count: 1, commission: usd(3000), refused: [], more: false, last: null };
      return json({ id: 'd1', decision: 'approve', dueAt, ...decided }, { status: 201 });
    }),
    http.post('/api/platform/conversions/decisions/{id}/undo', () => {
      state.conversions = [conversion()];
      return json({ id: 'd1', state: 'undone' });
    }),
  );
  const { user } = renderApp('/conversions');
  await user.click(await screen.findByRole('button', { name: 'Approve ORD-1' }));
  expect(await screen.findByText('Approving…')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Undo ORD-1' }));
  expect(await screen.findByRole('button', { name: 'Approve ORD-1' })).toBeInTheDocument();
});

test('one is approved in its row; an unattributed one only after a word of what that means', async () => {
  state.conversions = [
    conversion(),
    conversion({ id: 'c2', txid: 'ORD-2', partnerId: null, partnerName: null, commission: usd(0) }),
  ];
  server.use(scheduling());
  const { user } = renderApp('/conversions');
  await user.click(await screen.findByRole('button', { name: 'Approve ORD-1' }));
  expect(await screen.findByText('Approving 1 conversion', { exact: true })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Approve ORD-2' }));
  const dialog = await screen.findByRole('dialog', { name: 'Approve 0 conversions?' });
  expect(within(dialog).getByRole('button', { name: 'Approve' })).toBeDisabled();
  await user.click(within(dialog).getByRole('checkbox', { name: /^Also approve 1 unattributed/ }));
  expect(dialog).toHaveTextContent('Approve 1 conversion?');
  await user.click(within(dialog).getByRole('button', { name: 'Approve' }));
  await waitFor(() =>
    expect(sent(DECISIONS)).toEqual([
      { websiteId: 'w1', decision: 'approve', ids: ['c1'] },
      { websiteId: 'w1', decision: 'approve', ids: ['c2'], unattributed: true },
    ]),
  );
});

test('unattributed ones in a selection are left out unless they are included, and are no failure', async () => {
  state.conversions = [conversion(), conversion({ id: 'c2', txid: 'ORD-2', partnerId: null, commission: usd(0) })];
  server.use(scheduling([{ id: 'c2', ok: false, changed: false, code: 'unattributed', message: 'Not attributed.' }]));
  const { user } = renderApp('/conversions');
  await user.click(await screen.findByRole('checkbox', { name: 'Select all pending shown' }));
  await user.click(within(screen.getByRole('region', { name: 'Selection' })).getByRole('button', { name: 'Approve' }));
  const dialog = await screen.findByRole('dialog', { name: 'Approve 1 conversion?' });
  expect(dialog).toHaveTextContent('This approves $30.00 in commission.');
  await user.click(within(dialog).getByRole('button', { name: 'Approve' }));
  expect(await screen.findByText('Approving 1 conversion', { exact: true })).toBeInTheDocument();
  expect(screen.queryByText(/could not be approved/)).not.toBeInTheDocument();
});

test('a row whose decision is not final says so and offers to undo it, also after a reload', async () => {
  const dueAt = new Date(Date.now() + 600_000).toISOString();
  state.conversions = [conversion({ decision: { id: 'd7', decision: 'reject', dueAt } })];
  server.use(http.post('/api/platform/conversions/decisions/{id}/undo', () => refuse(409, 'This decision is final.')));
  const { user } = renderApp('/conversions');
  expect(await screen.findByText('Rejecting…')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Approve ORD-1' })).not.toBeInTheDocument();
  expect(screen.queryByRole('checkbox', { name: 'Select ORD-1' })).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Undo ORD-1' }));
  expect(await screen.findByText('This decision is final.', { exact: true })).toBeInTheDocument();
});

test('rejecting many needs a reason, and what could not be rejected says why and stays selected', async () => {
  server.use(
    scheduling([
      {
        id: 'c2',
        ok: false,
        changed: false,
        code: 'already_reversed',
        message: 'This conversion is already reversed.',
      },
    ]),
  );
  const { user } = renderApp('/conversions');
  await user.click(await screen.findByRole('checkbox', { name: 'Select ORD-1' }));
  await user.click(screen.getByRole('checkbox', { name: 'Select ORD-2' }));
  await user.click(within(screen.getByRole('region', { name: 'Selection' })).getByRole('button', { name: 'Reject' }));
  const dialog = await screen.findByRole('dialog', { name: 'Reject 2 conversions?' });
  expect(dialog).toHaveTextContent('This removes $60.00 in commission.');
  await user.click(within(dialog).getByRole('button', { name: 'Reject' }));
  expect(within(dialog).getByText('Please give a reason')).toBeInTheDocument();
  await user.type(within(dialog).getByLabelText('Reason'), ' Fraud ');
  await user.click(within(dialog).getByRole('button', { name: 'Reject' }));
  expect(await screen.findByText('1 of 2 conversions could not be rejected', { exact: true })).toBeInTheDocument();
  expect(screen.getByText('This conversion is already reversed.', { exact: true })).toBeInTheDocument();
  expect(sent(DECISIONS)).toEqual([{ websiteId: 'w1', decision: 'reject', ids: ['c1', 'c2'], reason: 'Fraud' }]);
  expect(screen.getByRole('checkbox', { name: 'Select ORD-2' })).toBeChecked();
  expect(screen.getByRole('checkbox', { name: 'Select ORD-1' })).not.toBeChecked();
});

/** A list of more pages than one, and a server that schedules filters in `rounds`. */
const filtering = (rounds: (round: number) => Answer<typeof DECISIONS, 'post'>) => {
  let round = 0;
  server.use(
    http.get('/api/platform/conversions', () =>
      json(state.conversions, {
        headers: { Link: '</api/platform/conversions?cursor=next>; rel="next"' },
      }),
    ),
    http.get('/api/platform/conversions/totals', () =>
      json({
        ...totals(state.conversions),
        statuses: [{ status: 'pending', count: 1203, unattributed: 3, commission: usd(3_600_000) }],
      }),
    ),
    http.post(DECISIONS, () => rounds(++round)),
  );
};
const part = (over: Partial<ScheduledDecision>): Answer<typeof DECISIONS, 'post'> =>
  json({
    id: 'd1',
    decision: 'approve',
    dueAt: null,
    count: 500,
    commission: usd(100),
    refused: [],
    more: false,
    last: null,
    ...over,
  });

test('all that match are decided by the filter, however many pages they are, with number and sum', async () => {
  filtering((round) => part({ id: `d${round}`, count: round < 3 ? 500 : 200, more: round < 3, last: `last${round}` }));
  const { user } = renderApp('/conversions?partner=p1&from=2026-11-01&sub2=x');
  await user.click(await screen.findByRole('checkbox', { name: 'Select all pending shown' }));
  await user.click(await screen.findByRole('button', { name: 'Select all 1,203 pending that match' }));
  await user.click(within(screen.getByRole('region', { name: 'Selection' })).getByRole('button', { name: 'Approve' }));
  const dialog = await screen.findByRole('dialog', { name: 'Approve 1,200 conversions?' });
  expect(dialog).toHaveTextContent('This approves $36,000.00 in commission.');
  await user.click(within(dialog).getByRole('button', { name: 'Approve' }));
  expect(await screen.findByText('Approving 1,200 conversions', { exact: true })).toBeInTheDocument();
  const filter = {
    websiteId: 'w1',
    partnerId: 'p1',
    from: '2026-11-01',
    subs: { sub2: 'x' },
    until: '2026-11-21T00:00:00Z',
  };
  expect(sent(DECISIONS)).toEqual(
    [{}, { after: 'last1' }, { after: 'last2' }].map((more) => ({
      websiteId: 'w1',
      decision: 'approve',
      filter: { ...filter, ...more },
    })),
  );
});

test('an approved one that turned out to be wrong is rejected with others, but not approved again', async () => {
  server.use(scheduling());
  const { user } = renderApp('/conversions');
  await user.click(await screen.findByRole('checkbox', { name: 'Select ORD-1' }));
  const selection = within(screen.getByRole('region', { name: 'Selection' }));
  expect(selection.getByRole('button', { name: 'Approve' })).toBeEnabled();
  await user.click(screen.getByRole('checkbox', { name: 'Select ORD-3' }));
  expect(selection.getByRole('button', { name: 'Approve' })).toBeDisabled();
  await user.click(selection.getByRole('button', { name: 'Reject' }));
  const dialog = await screen.findByRole('dialog', { name: 'Reject 2 conversions?' });
  await user.type(within(dialog).getByLabelText('Reason'), 'Fraud');
  await user.click(within(dialog).getByRole('button', { name: 'Reject' }));
  await waitFor(() =>
    expect(sent(DECISIONS)).toEqual([{ websiteId: 'w1', decision: 'reject', ids: ['c1', 'c3'], reason: 'Fraud' }]),
  );
});

test('what was scheduled stands when a later round fails', async () => {
  filtering((round) =>
    round === 1
      ? part({
          count: 1,
          refused: [{ id: 'c2', ok: false, changed: false, code: 'x', message: 'It is odd.' }],
          more: true,
          last: 'c2',
        })
      : refuse(503, 'Not now'),
  );
  const { user } = renderApp('/conversions');
  await user.click(await screen.findByRole('checkbox', { name: 'Select all pending shown' }));
  await user.click(await screen.findByRole('button', { name: 'Select all 1,203 pending that match' }));
  await user.click(within(screen.getByRole('region', { name: 'Selection' })).getByRole('button', { name: 'Approve' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Approve' }));
  const outcome = within(
    (await screen.findByText('Stopped after 2 conversions: Not now')).closest('section') as HTMLElement,
  );
  expect(outcome.getByText('1 of 2 conversions could not be approved')).toBeInTheDocument();
  expect(outcome.getByRole('list', { name: 'Not approved' })).toHaveTextContent('ORD-2It is odd.');
  await user.click(outcome.getByRole('button', { name: 'Dismiss the result' }));
  expect(screen.queryByText(/^Stopped after/)).not.toBeInTheDocument();
});

test('filters are in the address and asked of the server, of the list and of its totals', async () => {
  const { user, router } = renderApp('/conversions');
  await screen.findByRole('button', { name: 'Explain ORD-1' });
  await user.selectOptions(screen.getByRole('combobox', { name: 'Status' }), 'approved');
  await waitFor(() => expect(router.state.location.href).toBe('/conversions?status=approved'));
  for (const path of ['conversions?', 'conversions/totals?'])
    await waitFor(() => expect(requests(`GET /api/platform/${path}`).at(-1)).toContain('status=approved'));
  await user.selectOptions(screen.getByRole('combobox', { name: 'Partner' }), 'p1');
  await waitFor(() => expect(requests('GET /api/platform/conversions?').at(-1)).toContain('partnerId=p1'));
  await user.selectOptions(screen.getByRole('combobox', { name: 'Period' }), 'today');
  await waitFor(() => expect(router.state.location.href).toContain('range=today'));
  expect(requests('GET /api/platform/conversions?').at(-1)).toMatch(/from=\d{4}-\d\d-\d\d&to=/);
  await user.click(screen.getByRole('button', { name: 'Clear filters' }));
  await waitFor(() => expect(router.state.location.href).toBe('/conversions'));
});

test('one paste finds one transaction', async () => {
  const { user, router } = renderApp('/conversions');
  const search = await screen.findByRole('searchbox', { name: 'Search conversions' });
  await user.click(search);
  await user.paste('ORD-2');
  await waitFor(() => expect(router.state.location.href).toBe('/conversions?search=ORD-2'));
  await waitFor(() => expect(requests('GET /api/platform/conversions?').at(-1)).toContain('search=ORD-2'));
  expect(search).toHaveValue('ORD-2');
  await user.clear(search);
  await waitFor(() => expect(router.state.location.href).toBe('/conversions'));
});

test('more filters are set together and removed one by one', async () => {
  const { user, router } = renderApp('/conversions');
  await user.click(await screen.findByRole('button', { name: 'More filters' }));
  const form = within(await screen.findByRole('dialog', { name: 'More filters' }));
  await user.type(await form.findByLabelText('Country'), 'de');
  await user.type(form.getByLabelText('Sub-ID value'), 'a,b');
  await user.selectOptions(form.getByLabelText('Kind'), 'lead');
  await user.selectOptions(form.getByLabelText('Link'), 'l1');
  await user.click(form.getByRole('button', { name: 'Apply' }));
  await waitFor(() =>
    expect(requests('GET /api/platform/conversions?').at(-1)).toMatch(/kind=lead&linkId=l1&country=DE&sub1=a%2Cb/),
  );
  const pills = screen.getByRole('list', { name: 'Filters in force' });
  expect(pills).toHaveTextContent('Country: Germany');
  expect(pills).toHaveTextContent('Link: /nord');
  await user.click(screen.getByRole('button', { name: 'Remove filter Country: Germany' }));
  await waitFor(() => expect(router.state.location.href).not.toContain('country'));
});

test('the details say which report each field comes from, down to the line of the file', async () => {
  const at = '2026-11-20T12:00:00Z';
  server.use(
    http.get('/api/platform/conversions/{id}/explain', () =>
      json(
        explanation({
          sources: [
            { field: 'amount', source: 'shop', network: null, at },
            { field: 'click_id', source: 'network', network: null, at },
            { field: 'payout', source: 'import', network: 'awin', at },
          ],
          lines: [{ importId: 'n1', fileName: 'november.csv', line: 17, uploadedAt: at }],
        }),
      ),
    ),
  );
  renderApp('/conversions?open=c1');
  const drawer = within(await screen.findByRole('dialog'));
  await drawer.findByText('Sale amount');
  const said = drawer.getAllByRole('definition').map((item) => item.textContent);
  expect(said).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^Shop, Nov 20/),
      expect.stringMatching(/^Postback of the network, Nov 20/),
      expect.stringMatching(/^Report of Awin, Nov 20/),
    ]),
  );
  const lines = within(drawer.getByRole('list', { name: 'Lines of network reports' }));
  expect(lines.getByRole('listitem')).toHaveTextContent('november.csv, line 17');
  expect(lines.getByRole('link')).toHaveAttribute('href', '/conversions/networks/n1?website=w1');
});

test('sales of a network and of one import are found, and decided together', async () => {
  const { user, router } = renderApp('/conversions?importId=n1');
  await waitFor(() => expect(requests('GET /api/platform/conversions?').at(-1)).toContain('importId=n1'));
  const pills = await screen.findByRole('list', { name: 'Filters in force' });
  expect(pills).toHaveTextContent('Sales of one import');
  await user.click(screen.getByRole('button', { name: 'More filters' }));
  const form = within(await screen.findByRole('dialog', { name: 'More filters' }));
  await user.selectOptions(await form.findByLabelText('Network'), 'Awin');
  await user.click(form.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(requests('GET /api/platform/conversions?').at(-1)).toContain('network=awin&importId=n1'));
  expect(pills).toHaveTextContent('Network: Awin');
  expect(matchingOf({ id: 'w1', timezone: 'UTC' }, readState(router.state.location.search as FlatSearch))).toEqual({
    ...{ websiteId: 'w1', network: 'awin', importId: 'n1' },
  });
});

test('sales of undone imports are hidden until they are wanted', async () => {
  state.conversions = [conversion({ status: 'rejected', isVoid: true, network: 'awin', reportedBy: 'import' })];
  const { user, router } = renderApp('/conversions');
  expect(await screen.findByText('Import undone')).toBeInTheDocument();
  expect(requests('GET /api/platform/conversions?').at(-1)).not.toContain('undone');
  await user.click(screen.getByRole('button', { name: 'More filters' }));
  const form = within(await screen.findByRole('dialog', { name: 'More filters' }));
  await user.selectOptions(await form.findByLabelText('Sales of undone imports'), 'Only these');
  await user.click(form.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(router.state.location.href).toBe('/conversions?undone=yes'));
  await waitFor(() => expect(requests('GET /api/platform/conversions?').at(-1)).toContain('undone=yes'));
  expect(screen.getByRole('link', { name: 'Export CSV' })).toHaveAttribute(
    'href',
    '/api/platform/conversions.csv?websiteId=w1&undone=yes',
  );
  await user.click(screen.getByRole('button', { name: 'Remove filter Sales of undone imports: Only these' }));
  await waitFor(() => expect(router.state.location.href).toBe('/conversions'));
});

test('columns are sorted by the server and chosen permanently', async () => {
  const { user, router } = renderApp('/conversions');
  await user.click(await screen.findByRole('button', { name: 'Commission' }));
  await waitFor(() => expect(router.state.location.href).toBe('/conversions?sort=-commission'));
  await waitFor(() => expect(requests('GET /api/platform/conversions?').at(-1)).toContain('sort=-commission'));
  expect(screen.getByRole('columnheader', { name: 'Commission' })).toHaveAttribute('aria-sort', 'descending');
  await user.click(screen.getByRole('button', { name: 'Commission' }));
  await waitFor(() => expect(router.state.location.href).toBe('/conversions?sort=commission'));
  expect(screen.queryByRole('columnheader', { name: 'Customer' })).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Columns' }));
  const chooser = within(await screen.findByRole('dialog', { name: 'Columns' }));
  expect(await chooser.findByRole('checkbox', { name: 'Transaction' })).toBeDisabled();
  await user.click(chooser.getByRole('checkbox', { name: 'Customer' }));
  expect(await screen.findByRole('columnheader', { name: 'Customer', hidden: true })).toBeInTheDocument();
  cleanup();
  renderApp('/conversions');
  expect(await screen.findByRole('columnheader', { name: 'Customer' })).toBeInTheDocument();
  localStorage.clear();
});

test('the totals are those of the filter, and lead to what is unattributed', async () => {
  state.conversions.push(
    conversion({ id: 'c4', txid: 'ORD-4', partnerId: null, partnerName: null, commission: usd(0) }),
  );
  const { user, router } = renderApp('/conversions');
  const sums = await screen.findByLabelText('Totals of the filter');
  await waitFor(() => expect(sums).toHaveTextContent('Conversions4'));
  expect(sums).toHaveTextContent('Sales$400.00');
  expect(sums).toHaveTextContent('Pending (3)$60.00');
  expect(sums).toHaveTextContent('Approved (1)$30.00');
  await user.click(within(sums).getByRole('button', { name: 'Show 1 unattributed' }));
  await waitFor(() => expect(router.state.location.href).toBe('/conversions?attributed=no'));
});

test('a partial reversal in the row sends exact minor units and never exceeds the rest', async () => {
  state.conversions = [conversion({ status: 'approved', reversed: usd(2500) })];
  server.use(http.post('/api/platform/conversions/{id}/reverse', () => json(conversion())));
  const { user } = renderApp('/conversions');
  await user.click(await screen.findByRole('button', { name: 'Reverse ORD-1' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Reverse conversion' }));
  await user.click(dialog.getByRole('button', { name: 'Reverse' }));
  expect(dialog.getByText('Please give a reason')).toBeInTheDocument();
  await user.type(dialog.getByLabelText('Reason'), 'Refund');
  const amount = dialog.getByLabelText('Amount (USD, optional)');
  await user.type(amount, '75.01');
  expect(dialog.getByText('At most $75.00 can be reversed')).toBeInTheDocument();
  await user.clear(amount);
  await user.type(amount, '0.29');
  await user.click(dialog.getByRole('button', { name: 'Reverse' }));
  await waitFor(() => expect(sent('/api/platform/conversions/c1/reverse')).toEqual([{ reason: 'Refund', amount: 29 }]));
});

test('a claim, a bot click and a doubtful transaction are marked, and claims can be listed alone', async () => {
  state.conversions = [conversion({ keyKind: 'site', clickBotReason: 'headless', otherEvents: ['purchase'] })];
  const { user, router } = renderApp('/conversions');
  for (const text of ['By site key', 'Bot click', 'Also reported as purchase'])
    expect(await screen.findByText(text)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'More filters' }));
  const form = within(await screen.findByRole('dialog', { name: 'More filters' }));
  await user.selectOptions(await form.findByLabelText('Reported with'), 'site');
  await user.click(form.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(router.state.location.href).toBe('/conversions?keyKind=site'));
  await waitFor(() => expect(requests('GET /api/platform/conversions?').at(-1)).toContain('keyKind=site'));
  expect(screen.getByRole('link', { name: 'Export CSV' })).toHaveAttribute(
    'href',
    '/api/platform/conversions.csv?websiteId=w1&keyKind=site',
  );
});

test('a claim shows no date of automatic approval, and says that there is none', async () => {
  const approvesAt = '2026-12-04T12:00:00Z';
  state.conversions = [
    conversion({ approvesAt }),
    conversion({ id: 'c2', txid: 'ORD-2', keyKind: 'site', approvesAt }),
  ];
  const told = explanation();
  server.use(
    http.get('/api/platform/conversions/{id}/explain', () =>
      json({
        ...told,
        conversion: { ...told.conversion, keyKind: 'site', status: 'pending', approvesAt, payableAt: null },
      }),
    ),
  );
  const { user } = renderApp('/conversions');
  expect(await screen.findAllByText(/^Auto-approves on Dec 4/)).toHaveLength(1);
  expect(screen.getByRole('row', { name: /ORD-2/ })).not.toHaveTextContent('Auto-approves');
  await user.click(screen.getByRole('button', { name: 'Explain ORD-2' }));
  const drawer = await screen.findByRole('dialog');
  expect(
    await within(drawer).findByText('Never auto-approved: only the public site key reported it.'),
  ).toBeInTheDocument();
  expect(drawer).not.toHaveTextContent('Auto-approves');
});

test('a sale without a transaction ID waits for its owner, and says why', async () => {
  state.conversions = [conversion({ id: 'c2', txid: '{transaction_id}', unread: ['txid'], approvesAt: null })];
  const told = explanation();
  server.use(
    http.get('/api/platform/conversions/{id}/explain', () =>
      json({
        ...told,
        conversion: { ...told.conversion, status: 'pending', unread: ['txid'], approvesAt: null, payableAt: null },
      }),
    ),
  );
  const { user } = renderApp('/conversions');
  expect(await screen.findByText('Not auto-approved: no transaction ID')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Explain {transaction_id}' }));
  const drawer = await screen.findByRole('dialog');
  expect(
    await within(drawer).findByText(
      'Never auto-approved: the report had no transaction ID, so it may repeat another sale.',
    ),
  ).toBeInTheDocument();
});

test('an admin sees the chain of messages with the ids of logs and traces; a member sees none', async () => {
  const { user } = renderApp('/conversions');
  await user.click(await screen.findByRole('button', { name: 'Explain ORD-2' }));
  expect(await screen.findByText('Event history')).toBeInTheDocument();
  expect(screen.queryByText('Message chain')).not.toBeInTheDocument();
  await user.keyboard('{Escape}');
  const message = {
    id: 'c1@2',
    name: 'conversion.approved',
    at: '2026-11-20T12:00:00Z',
    actor: 'account',
    position: 7,
    commandId: null,
    correlationId: 'click-1',
    causationId: 'report-1',
    statement: '2026-11',
  };
  server.use(http.get('/api/platform/conversions/{id}/explain', () => json({ ...explanation(), messages: [message] })));
  await user.click(await screen.findByRole('button', { name: 'Explain ORD-3' }));
  const drawer = await screen.findByRole('dialog');
  expect(await within(drawer).findByText('Message chain')).toBeInTheDocument();
  for (const text of ['c1@2', 'click-1', 'report-1']) expect(within(drawer).getByText(text)).toBeInTheDocument();
  expect(drawer).toHaveTextContent('by an account, in the statement of 2026-11');
  expect(within(drawer).queryByText('Command')).not.toBeInTheDocument();
});

test('claims like one of them are rejected together: by key kind, click, address class and time', async () => {
  const told = explanation();
  server.use(
    http.get('/api/platform/conversions/{id}/explain', () =>
      json({
        ...told,
        conversion: {
          ...told.conversion,
          keyKind: 'site',
          status: 'pending',
          clickId: 'k1',
          addressClass: 'datacentre_address',
          recordedAt: '2026-11-20T12:00:01Z',
        },
      }),
    ),
    http.post(DECISIONS, () => part({ decision: 'reject', count: 2, last: 'c2' })),
  );
  const { user } = renderApp('/conversions?open=c1');
  const drawer = await screen.findByRole('dialog', { name: 'Transaction ORD-1' });
  await user.click(await within(drawer).findByRole('button', { name: 'Reject similar…' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Reject similar claims' }));
  expect(dialog.getByRole('checkbox', { name: 'Reported with the site key only' })).toBeDisabled();
  await user.click(dialog.getByRole('button', { name: 'Reject claims' }));
  expect(await dialog.findByText('Please give a reason')).toBeInTheDocument();
  await user.click(dialog.getByRole('checkbox', { name: 'Same address class: Data center address' }));
  await user.clear(dialog.getByLabelText('Recorded to'));
  await user.type(dialog.getByLabelText('Reason'), 'Made up');
  await user.click(dialog.getByRole('button', { name: 'Reject claims' }));
  expect(await screen.findByText('Rejecting 2 conversions', { exact: true })).toBeInTheDocument();
  expect(sent(DECISIONS)).toEqual([
    {
      websiteId: 'w1',
      decision: 'reject',
      reason: 'Made up',
      filter: { websiteId: 'w1', keyKind: 'site', clickId: 'k1', since: '2026-11-20T00:00:00.000Z' },
    },
  ]);
  expect(screen.queryByRole('dialog', { name: 'Reject similar claims' })).not.toBeInTheDocument();
});

test('similar claims are offered for rejection for pending claims only', async () => {
  renderApp('/conversions?open=c1');
  const drawer = await screen.findByRole('dialog', { name: 'Transaction ORD-1' });
  await within(drawer).findByText('100.00 USD × 30% = 30 USD, rounded 30.00 USD');
  expect(within(drawer).queryByRole('button', { name: 'Reject similar…' })).not.toBeInTheDocument();
});

test('a proposed adjustment is accepted or dismissed in the drawer', async () => {
  const told = explanation();
  const adjustment = {
    partnerId: 'p1',
    linkId: null,
    clickId: null,
    clickedAt: '2026-11-20T11:30:00Z',
    commission: { amount: 4500, currency: 'USD' },
  };
  server.use(
    http.get('/api/platform/conversions/{id}/explain', () =>
      json({ ...told, conversion: { ...told.conversion, adjustment } }),
    ),
    http.post('/api/platform/conversions/{id}/adjustment/dismiss', () => json(told.conversion)),
  );
  const { user } = renderApp('/conversions?open=c1');
  const drawer = await screen.findByRole('dialog', { name: 'Transaction ORD-1' });
  expect(
    await within(drawer).findByText(/arrived after the approval.*with a commission of \$45\.00/),
  ).toBeInTheDocument();
  await user.click(within(drawer).getByRole('button', { name: 'Dismiss' }));
  expect(await screen.findByText('Adjustment dismissed')).toBeInTheDocument();
  expect(sent('/api/platform/conversions/c1/adjustment/dismiss')).toEqual([{}]);
});

test('each amount explains itself beside the list', async () => {
  const { user, router } = renderApp('/conversions');
  expect(await screen.findByText('Conflicting reports')).toBeInTheDocument();
  expect(screen.getByText(/^Payable from Dec 20/)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Explain ORD-1' }));
  const drawer = await screen.findByRole('dialog', { name: 'Transaction ORD-1' });
  await within(drawer).findByText('100.00 USD × 30% = 30 USD, rounded 30.00 USD');
  for (const text of [
    'Recalculated just now: matches',
    '/go/nord',
    'sub1=banner',
    'clicks[2] @ 41',
    'conversions[1] @ 7',
    'conversion.recorded · domain[0] @ 11',
  ]) {
    expect(within(drawer).getByText(text)).toBeInTheDocument();
  }
  expect(drawer).toHaveTextContent('version 2, since Nov 1');
  expect(router.state.location.href).toBe('/conversions?open=c1');
  await user.keyboard('{Escape}');
  await waitFor(() => expect(router.state.location.href).toBe('/conversions'));
});

test('the click IDs of the ad that led to the visit are shown, or that they are erased', async () => {
  const told = explanation();
  const adClickIds = [
    { name: 'gclid', network: 'Google Ads', value: 'Cj0K' },
    { name: null, network: null, value: '[erased]' },
  ];
  server.use(
    http.get('/api/platform/conversions/{id}/explain', () =>
      json({ ...told, click: told.click && { ...told.click, adClickIds } }),
    ),
  );
  renderApp('/conversions?open=c1');
  const drawer = await screen.findByRole('dialog', { name: 'Transaction ORD-1' });
  expect(within(drawer).getByText('Ad click IDs')).toBeInTheDocument();
  expect(within(drawer).getByText('Google Ads (gclid): Cj0K, [erased]')).toBeInTheDocument();
});

test('disagreeing reports say which one stands; one that is not attributed says what it waits for', async () => {
  const told = explanation();
  server.use(
    http.get('/api/platform/conversions/{id}/explain', () =>
      json({
        ...told,
        rule: null,
        working: null,
        click: null,
        conversion: { ...told.conversion, conflicts: 1 },
        reports: [
          ...told.reports,
          {
            amount: { amount: 12_000, currency: 'USD' },
            payout: { amount: 1_250, currency: 'USD' },
            status: 'approved',
            clickId: 'CLICK-1',
            coupon: null,
            namesCustomer: true,
            unread: ['occurred_at'],
            reportedBy: 'postback',
            keyKind: 'postback',
            at: '2026-11-21T12:00:00Z',
            stands: false,
            place: null,
          },
          ...told.reports.map((report) => ({
            ...report,
            amount: null,
            status: 'hold',
            stands: null,
            at: '2026-11-21T13:00:00Z',
          })),
        ],
      }),
    ),
  );
  renderApp('/conversions?open=c1');
  const drawer = await screen.findByRole('dialog', { name: 'Transaction ORD-1' });
  expect(within(drawer).getByText('Used').closest('li')).toHaveTextContent('$100.00by sale');
  expect(within(drawer).getByText('Not used').closest('li')).toHaveTextContent('$120.00by postback');
  expect(within(drawer).getByText('Not used').closest('li')).toHaveTextContent(
    'Status approved · Payout $12.50 · Click ID CLICK-1 · Customer · Unreadable: occurred at',
  );
  expect(within(drawer).getByText('Status hold').closest('li')).toHaveTextContent('Status holdby sale');
  expect(drawer).toHaveTextContent('No matching click found');
});

test('statements of a month with their files, and the months beside it', async () => {
  const { user, router } = renderApp('/conversions?view=statements&month=2026-10');
  const table = await screen.findByRole('table', { name: 'Statements table' });
  expect(within(table).getAllByRole('row')[1]).toHaveTextContent(
    'NordVPN$50.00$120.00$0.00−$10.50$159.50$20.00$139.50',
  );
  expect(screen.getByText(/Month in progress/)).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Download statement of NordVPN as CSV' })).toHaveAttribute(
    'href',
    '/api/platform/statements/p1.csv?websiteId=w1&month=2026-10',
  );
  expect(screen.getByRole('link', { name: 'Print statement of NordVPN' })).toHaveAttribute(
    'href',
    '/api/platform/statements/p1.html?websiteId=w1&month=2026-10',
  );
  await user.click(screen.getByRole('button', { name: 'Previous month' }));
  await waitFor(() => expect(router.state.location.href).toBe('/payouts/statements?month=2026-09'));
});

test('empty and failing statements have words', async () => {
  server.use(
    http.get('/api/platform/statements', () => refuse(500, 'Broken'), { once: true }),
    http.get('/api/platform/statements', () => json(statements({ statements: [] }))),
  );
  const { user } = renderApp('/conversions?view=statements&month=2026-10');
  expect(await screen.findByText('Error loading statements: Broken')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('No revenue by the end of October 2026.')).toBeInTheDocument();
});
