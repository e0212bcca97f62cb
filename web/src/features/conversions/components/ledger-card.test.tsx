import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { conversion } from '@/test/fixtures';
import { renderApp, signIn } from '@/test/render';
import { at, refuse, requests, server, state } from '@/test/server';
import { explanation, statements } from '@/test/money';
import { addMonths, readState, writeState } from '../lib/search';

const sent = (path: string) => state.seen.filter((item) => item.line === `POST ${path}`).map((item) => item.body);
const bulk = (
  kind: 'approve' | 'reject',
  answer: (ids: string[]) => object[] = (ids) => ids.map((id) => ({ id, ok: true })),
  more = false,
) =>
  http.post(at(`/api/platform/conversions/${kind}`), async ({ request }) => {
    const body = (await request.clone().json()) as { ids?: string[] };
    return HttpResponse.json({ results: answer(body.ids ?? []), more }, { headers: { 'X-Position': 'domain@9' } });
  });

beforeEach(() => {
  signIn();
  state.conversions = [
    conversion(),
    conversion({ id: 'c2', txid: 'ORD-2' }),
    conversion({ id: 'c3', txid: 'ORD-3', status: 'approved', payableAt: '2026-12-20T12:00:00Z', conflicts: 1 }),
  ];
  server.use(
    http.get(at('/api/platform/conversions/{id}/explain'), () => HttpResponse.json(explanation())),
    http.get(at('/api/platform/statements'), () => HttpResponse.json(statements())),
  );
});

test('the address is the state, and nonsense in it is ignored', () => {
  const state = readState({
    website: 'w1',
    view: 'statements',
    status: 'approved',
    partner: 'p1',
    from: '2026-11-02',
    to: '2026-11-20',
    month: '2026-10',
    open: 'c1',
  });
  expect(readState(writeState(state))).toEqual(state);
  expect(writeState(readState({ view: 'x', status: 'x', from: 'x', month: '2026-13' }))).toEqual({});
  expect(readState({ from: '2026-11-20', to: '2026-11-02' })).toMatchObject({ from: '2026-11-02', to: '2026-11-20' });
  expect([addMonths('2026-01', -1), addMonths('2026-12', 1)]).toEqual(['2025-12', '2027-01']);
});

test('pending ones are selected and approved together, after a word of what that means', async () => {
  server.use(bulk('approve'));
  const { user } = renderApp('/conversions');
  await user.click(await screen.findByRole('checkbox', { name: 'Select all pending shown' }));
  expect(screen.getByRole('checkbox', { name: 'Select ORD-3' })).not.toBeChecked();
  expect(screen.getByRole('region', { name: 'Selection' })).toHaveTextContent('2 selected');
  await user.click(screen.getByRole('button', { name: 'Approve' }));
  const dialog = await screen.findByRole('dialog', { name: 'Approve 2 conversions?' });
  expect(dialog).toHaveTextContent('can’t be undone');
  expect(sent('/api/platform/conversions/approve')).toEqual([]);
  await user.click(within(dialog).getByRole('button', { name: 'Approve' }));
  expect(await screen.findByText('2 conversions approved', { exact: true })).toBeInTheDocument();
  expect(sent('/api/platform/conversions/approve')).toEqual([{ ids: ['c1', 'c2'] }]);
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Selection' })).not.toBeInTheDocument());
});

test('rejecting many needs a reason, and what could not be rejected says why and stays selected', async () => {
  server.use(
    bulk('reject', (ids) =>
      ids.map((id) =>
        id === 'c2'
          ? { id, ok: false, code: 'already_reversed', message: 'This conversion is reversed already.' }
          : { id, ok: true },
      ),
    ),
  );
  const { user } = renderApp('/conversions');
  await user.click(await screen.findByRole('checkbox', { name: 'Select ORD-1' }));
  await user.click(screen.getByRole('checkbox', { name: 'Select ORD-2' }));
  await user.click(screen.getByRole('button', { name: 'Reject' }));
  const dialog = await screen.findByRole('dialog', { name: 'Reject 2 conversions?' });
  await user.click(within(dialog).getByRole('button', { name: 'Reject' }));
  expect(within(dialog).getByText('Please give a reason')).toBeInTheDocument();
  await user.type(within(dialog).getByLabelText('Reason'), ' Fraud ');
  await user.click(within(dialog).getByRole('button', { name: 'Reject' }));
  expect(await screen.findByText('1 of 2 conversions could not be rejected', { exact: true })).toBeInTheDocument();
  expect(screen.getByText('This conversion is reversed already.', { exact: true })).toBeInTheDocument();
  expect(sent('/api/platform/conversions/reject')).toEqual([{ ids: ['c1', 'c2'], reason: 'Fraud' }]);
  expect(screen.getByRole('checkbox', { name: 'Select ORD-2' })).toBeChecked();
  expect(screen.getByRole('checkbox', { name: 'Select ORD-1' })).not.toBeChecked();
});

test('all that match are decided by the filter, however many pages they are', async () => {
  let rounds = 0;
  server.use(
    http.get(at('/api/platform/conversions'), () =>
      HttpResponse.json(state.conversions, {
        headers: { Link: '</api/platform/conversions?cursor=next>; rel="next"' },
      }),
    ),
    http.post(at('/api/platform/conversions/approve'), () => {
      rounds += 1;
      return HttpResponse.json({ results: [{ id: `x${rounds}`, ok: true }], more: rounds < 3 });
    }),
  );
  const { user } = renderApp('/conversions?partner=p1&from=2026-11-01');
  await user.click(await screen.findByRole('checkbox', { name: 'Select all pending shown' }));
  await user.click(screen.getByRole('button', { name: 'Select all pending that match' }));
  await user.click(screen.getByRole('button', { name: 'Approve' }));
  const dialog = await screen.findByRole('dialog', { name: 'Approve all pending conversions that match?' });
  await user.click(within(dialog).getByRole('button', { name: 'Approve' }));
  expect(await screen.findByText('3 conversions approved', { exact: true })).toBeInTheDocument();
  expect(sent('/api/platform/conversions/approve')).toEqual(
    Array(3).fill({ filter: { websiteId: 'w1', partnerId: 'p1', from: '2026-11-01' } }),
  );
});

test('an approved one that turned out to be wrong is rejected with others, but not approved again', async () => {
  server.use(bulk('reject'));
  const { user } = renderApp('/conversions');
  await user.click(await screen.findByRole('checkbox', { name: 'Select ORD-1' }));
  expect(screen.getByRole('button', { name: 'Approve' })).toBeEnabled();
  await user.click(screen.getByRole('checkbox', { name: 'Select ORD-3' }));
  expect(screen.getByRole('button', { name: 'Approve' })).toBeDisabled();
  await user.click(screen.getByRole('button', { name: 'Reject' }));
  const dialog = await screen.findByRole('dialog', { name: 'Reject 2 conversions?' });
  await user.type(within(dialog).getByLabelText('Reason'), 'Fraud');
  await user.click(within(dialog).getByRole('button', { name: 'Reject' }));
  await waitFor(() =>
    expect(sent('/api/platform/conversions/reject')).toEqual([{ ids: ['c1', 'c3'], reason: 'Fraud' }]),
  );
});

test('what was decided stays decided when a later round fails', async () => {
  let rounds = 0;
  server.use(
    http.get(at('/api/platform/conversions'), () =>
      HttpResponse.json(state.conversions, {
        headers: { Link: '</api/platform/conversions?cursor=next>; rel="next"' },
      }),
    ),
    http.post(at('/api/platform/conversions/approve'), () => {
      rounds += 1;
      return rounds === 1
        ? HttpResponse.json({
            results: [
              { id: 'c1', ok: true },
              { id: 'c2', ok: false, code: 'x', message: 'It is odd.' },
            ],
            more: true,
          })
        : refuse(503, 'Not now');
    }),
  );
  const { user } = renderApp('/conversions');
  await user.click(await screen.findByRole('checkbox', { name: 'Select all pending shown' }));
  await user.click(screen.getByRole('button', { name: 'Select all pending that match' }));
  await user.click(screen.getByRole('button', { name: 'Approve' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Approve' }));
  const outcome = within(
    (await screen.findByText('Stopped after 2 conversions: Not now')).closest('section') as HTMLElement,
  );
  expect(outcome.getByText('1 of 2 conversions could not be approved')).toBeInTheDocument();
  expect(outcome.getByRole('list', { name: 'Not approved' })).toHaveTextContent('ORD-2It is odd.');
  expect(await screen.findByText('1 conversion approved', { exact: true })).toBeInTheDocument();
  await user.click(outcome.getByRole('button', { name: 'Dismiss the result' }));
  expect(screen.queryByText(/^Stopped after/)).not.toBeInTheDocument();
});

test('filters are in the address and asked of the server', async () => {
  const { user, router } = renderApp('/conversions');
  await screen.findByRole('button', { name: 'Explain ORD-1' });
  await user.selectOptions(screen.getByRole('combobox', { name: 'Status' }), 'approved');
  await waitFor(() => expect(router.state.location.href).toBe('/conversions?status=approved'));
  await waitFor(() => expect(requests('GET /api/platform/conversions?').at(-1)).toContain('status=approved'));
  await user.selectOptions(screen.getByRole('combobox', { name: 'Partner' }), 'p1');
  await waitFor(() => expect(requests('GET /api/platform/conversions?').at(-1)).toContain('partnerId=p1'));
  await user.click(screen.getByRole('button', { name: 'Clear filters' }));
  await waitFor(() => expect(router.state.location.href).toBe('/conversions'));
});

test('a claim, a bot click and a doubtful transaction are marked, and claims can be listed alone', async () => {
  state.conversions = [conversion({ keyKind: 'site', clickBotReason: 'headless', otherEvents: ['purchase'] })];
  const { user, router } = renderApp('/conversions');
  for (const text of ['By site key', 'Bot click', 'Also reported as purchase'])
    expect(await screen.findByText(text)).toBeInTheDocument();
  await user.selectOptions(screen.getByRole('combobox', { name: 'Reported with' }), 'site');
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
    http.get(at('/api/platform/conversions/{id}/explain'), () =>
      HttpResponse.json({
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
  server.use(
    http.get(at('/api/platform/conversions/{id}/explain'), () =>
      HttpResponse.json({ ...explanation(), messages: [message] }),
    ),
  );
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
    http.get(at('/api/platform/conversions/{id}/explain'), () =>
      HttpResponse.json({
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
    http.post(at('/api/platform/conversions/reject'), () =>
      HttpResponse.json({
        results: [
          { id: 'c1', ok: true, changed: true },
          { id: 'c2', ok: true, changed: true },
        ],
        more: false,
      }),
    ),
  );
  const { user } = renderApp('/conversions?open=c1');
  const drawer = await screen.findByRole('dialog', { name: 'Transaction ORD-1' });
  await user.click(await within(drawer).findByRole('button', { name: 'Reject similar…' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Reject similar claims' }));
  expect(dialog.getByRole('checkbox', { name: 'Reported with the site key only' })).toBeDisabled();
  await user.click(dialog.getByRole('button', { name: 'Reject claims' }));
  expect(await dialog.findByText('Please give a reason')).toBeInTheDocument();
  await user.click(dialog.getByRole('checkbox', { name: 'Same address class: Data centre address' }));
  await user.clear(dialog.getByLabelText('Recorded to'));
  await user.type(dialog.getByLabelText('Reason'), 'Made up');
  await user.click(dialog.getByRole('button', { name: 'Reject claims' }));
  expect(await screen.findByText('2 conversions rejected', { exact: true })).toBeInTheDocument();
  expect(sent('/api/platform/conversions/reject')).toEqual([
    {
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
    http.get(at('/api/platform/conversions/{id}/explain'), () =>
      HttpResponse.json({ ...told, conversion: { ...told.conversion, adjustment } }),
    ),
    http.post(at('/api/platform/conversions/{id}/adjustment/dismiss'), () => HttpResponse.json(told.conversion)),
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

test('disagreeing reports say which one stands; one that is not attributed says what it waits for', async () => {
  const told = explanation();
  server.use(
    http.get(at('/api/platform/conversions/{id}/explain'), () =>
      HttpResponse.json({
        ...told,
        rule: null,
        working: null,
        click: null,
        conversion: { ...told.conversion, conflicts: 1 },
        reports: [
          ...told.reports,
          {
            amount: { amount: 12_000, currency: 'USD' },
            reportedBy: 'postback',
            at: '2026-11-21T12:00:00Z',
            stands: false,
            place: null,
          },
        ],
      }),
    ),
  );
  renderApp('/conversions?open=c1');
  const drawer = await screen.findByRole('dialog', { name: 'Transaction ORD-1' });
  expect(within(drawer).getByText('Used').closest('li')).toHaveTextContent('$100.00by sale');
  expect(within(drawer).getByText('Not used').closest('li')).toHaveTextContent('$120.00by postback');
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
  await waitFor(() => expect(router.state.location.href).toBe('/conversions?view=statements&month=2026-09'));
});

test('empty and failing statements have words', async () => {
  server.use(
    http.get(at('/api/platform/statements'), () => refuse(500, 'Broken'), { once: true }),
    http.get(at('/api/platform/statements'), () => HttpResponse.json(statements({ statements: [] }))),
  );
  const { user } = renderApp('/conversions?view=statements&month=2026-10');
  expect(await screen.findByText('Error loading statements: Broken')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('No earnings by the end of October 2026.')).toBeInTheDocument();
});
