import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { ImportState, NetworkImport } from '@/features/networks/api/imports';
import { importRow, networkImport } from '@/test/networks';
import { renderApp, signIn } from '@/test/render';
import { http, json, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';

const REPORT = '/conversions/networks/n1';
/** The import as the server has it. */
let held: NetworkImport;

const sent = (line: string) => state.seen.filter((item) => item.line === line).map((item) => item.body);
/** Commands that bring the import into a state. */
const becomes = (action: 'apply' | 'cancel' | 'undo', next: ImportState) =>
  http.post(`/api/platform/networks/imports/{id}/${action}`, () => {
    held = networkImport({ ...held, state: next });
    return json(held);
  });
const remapped = (next: Partial<NetworkImport> = { state: 'ready' }) =>
  http.patch('/api/platform/networks/imports/{id}', () => {
    held = networkImport({ ...held, questions: [], ...next });
    return json(held);
  });

beforeEach(() => {
  signIn();
  held = networkImport();
  server.use(
    http.get('/api/platform/networks/connections', () => json([])),
    http.get('/api/platform/networks/imports', () => json([held])),
    http.get('/api/platform/networks/imports/{id}', () => json(held)),
    http.get('/api/platform/networks/imports/{id}/rows', ({ request }) => {
      const kind = new URL(request.url).searchParams.get('kind');
      return json(
        kind === 'rejected'
          ? [importRow({ kind: 'rejected', line: 9, txid: '', message: '"n/a" is not an amount.', text: 'A-9;;n/a' })]
          : [importRow({ isUnmatched: kind === 'unmatched' })],
      );
    }),
  );
});

test('imports are listed with their state and numbers, and open one by one', async () => {
  const { user, router } = renderApp('/conversions/networks');
  const table = within(await screen.findByRole('table', { name: 'Imports table' }));
  expect(table.getAllByRole('row')[1]).toHaveTextContent(
    /^november\.csvAwin.*Preview120 new, 14 changed, 3 without a click, 2 rejected−€12\.40$/,
  );
  await user.click(table.getByRole('link', { name: 'november.csv' }));
  expect(await screen.findByRole('heading', { level: 1, name: 'november.csv' })).toBeInTheDocument();
  expect(router.state.location.href).toBe(`${REPORT}?website=w1`);
});

test('without an import the list says so, and the upload requires a network and a file', async () => {
  server.use(http.get('/api/platform/networks/imports', () => json([])));
  const { user } = renderApp('/conversions/networks');
  expect(await screen.findByText('No reports uploaded yet.')).toBeInTheDocument();
  await user.click(await screen.findByRole('button', { name: 'Preview' }));
  expect(screen.getByLabelText('Report file')).toHaveAccessibleDescription(/^Please choose the report/);
  expect(screen.getByLabelText('Network')).toHaveAccessibleDescription('Please choose the network');
  expect(requests('POST')).toEqual([]);
});

test('a report is sent for a preview, under the network of the last one, and its page opens', async () => {
  let form: FormData | undefined;
  server.use(
    http.post('/api/platform/networks/imports', async ({ request }) => {
      form = await request.formData();
      return json(held, { status: 201 });
    }),
  );
  const { user, router } = renderApp('/conversions/networks?website=w1');
  expect(await screen.findByLabelText('Network')).toHaveDisplayValue('Awin');
  await user.upload(screen.getByLabelText('Report file'), new File(['id;date'], 'november.csv'));
  await user.selectOptions(screen.getByLabelText('Partner (optional)'), 'NordVPN');
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  await waitFor(() => expect(router.state.location.pathname).toBe(REPORT));
  expect(Object.fromEntries([...(form ?? [])].filter(([name]) => name !== 'file'))).toEqual({
    network: 'awin',
    websiteId: 'w1',
    partnerId: 'p1',
  });
  expect(form?.has('file')).toBe(true); // its content is lost on the way from jsdom
});

test('what the server rejects of an upload is said below the form', async () => {
  server.use(
    http.post('/api/platform/networks/imports', () =>
      refuse(422, 'The file is empty.', 'empty_file', [{ field: 'file', message: 'The file is empty.' }]),
    ),
  );
  const { user } = renderApp('/conversions/networks');
  await user.upload(await screen.findByLabelText('Report file'), new File([' '], 'november.csv'));
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('The file is empty.');
});

test('each number of the preview opens its rows', async () => {
  const { user } = renderApp(REPORT);
  const numbers = within(await screen.findByRole('list', { name: 'Rows of the report' }));
  expect(numbers.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    ...['120 new', '14 changed', '3 without a click', '2 rejected', '−€12.40 change in commission'],
  ]);
  await user.click(numbers.getByRole('button', { name: '3 without a click' }));
  const rows = await screen.findByRole('table', { name: 'Rows table: without a click' });
  expect(within(rows).getAllByRole('row')[1]).toHaveTextContent(/^A-12.*NordVPNWithout a clickpending€15\.00€1\.50$/);
  await user.click(numbers.getByRole('button', { name: '2 rejected' }));
  const rejected = await screen.findByRole('table', { name: 'Rows table: rejected' });
  expect(within(rejected).getAllByRole('row')[1]).toHaveTextContent('"n/a" is not an amount.9A-9;;n/a');
  expect(screen.queryByRole('table', { name: 'Rows table: without a click' })).not.toBeInTheDocument();
});

test('a preview is applied, its progress is shown until it counts, and it is undone as a whole', async () => {
  let reads = 0;
  server.use(
    becomes('apply', 'applying'),
    becomes('undo', 'undoing'),
    http.get('/api/platform/networks/imports/{id}', () => {
      reads += 1;
      if (held.state === 'applying' && held.done === 60) held = { ...held, state: 'applied', done: 139 };
      else if (held.state === 'applying') held = { ...held, done: 60, total: 139 };
      else if (held.state === 'undoing') held = { ...held, state: 'undone' };
      return json(held);
    }),
  );
  const { user } = renderApp(REPORT);
  await user.click(await screen.findByRole('button', { name: 'Apply 134 changes' }));
  expect(await screen.findByText(/^60 of 139 rows applied\./)).toBeInTheDocument();
  expect(screen.getByRole('progressbar', { name: 'Progress' })).toHaveAttribute('aria-valuenow', '60');
  expect(await screen.findByRole('link', { name: 'Show its sales' })).toHaveAttribute(
    'href',
    '/conversions?website=w1&importId=n1',
  );
  await user.click(await screen.findByRole('button', { name: 'Undo import' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Undo this import?' }));
  expect(dialog.getByText(/^120 new sales will no longer count, and 14 changed sales/)).toBeInTheDocument();
  await user.click(dialog.getByRole('button', { name: 'Undo import' }));
  expect(await screen.findByText(/^None of its rows counts any more\./)).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Undo import' })).not.toBeInTheDocument();
  expect(reads).toBeGreaterThan(3);
});

test('a preview is cancelled', async () => {
  server.use(becomes('cancel', 'cancelled'));
  const { user } = renderApp(REPORT);
  await user.click(await screen.findByRole('button', { name: 'Cancel' }));
  expect(await screen.findByText(/^Nothing of it counts\./)).toBeInTheDocument();
  expect(requests('POST')).toEqual(['POST /api/platform/networks/imports/n1/cancel']);
});

test('questions are answered together, and the file is read with the answers', async () => {
  held = networkImport({
    state: 'asking',
    mapping: { currency: 'SEK' },
    questions: [
      { field: 'date_order', message: '03/04/26 can be 3 April or March 4.', choices: ['dmy', 'mdy'] },
      {
        field: 'columns.commission',
        message: 'Which column has the commission?',
        choices: ['Order', 'Date', 'Fee', 'Fee (2)', 'Net', 'Gross'],
      },
    ],
  });
  server.use(remapped());
  const { user } = renderApp(REPORT);
  const order = await screen.findByRole('group', { name: '03/04/26 can be 3 April or March 4.' });
  await user.click(within(order).getByRole('radio', { name: 'Month, day, year' }));
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  expect(screen.getByText('Please answer every question')).toBeInTheDocument();
  await user.selectOptions(screen.getByLabelText('Which column has the commission?'), 'Fee (2)');
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  expect(await screen.findByRole('button', { name: 'Apply 134 changes' })).toBeInTheDocument();
  expect(sent('PATCH /api/platform/networks/imports/n1')).toEqual([
    { mapping: { currency: 'SEK', date_order: 'mdy', columns: { commission: 'Fee (2)' } } },
  ]);
});

test('a file of another network is uploaded again under that one', async () => {
  held = networkImport({
    state: 'asking',
    questions: [
      { field: 'other_network', message: 'This looks like a report of CJ, not of Awin.', choices: ['cj', 'awin'] },
    ],
  });
  server.use(becomes('cancel', 'cancelled'));
  const { user, router } = renderApp(REPORT);
  await user.click(await screen.findByRole('button', { name: /^Cancel and upload as CJ/ }));
  await waitFor(() => expect(router.state.location.href).toBe('/conversions/networks?website=w1&network=cj'));
  expect(await screen.findByLabelText('Network')).toHaveValue('cj');
});

test('a person may say that a file is of its network', async () => {
  held = networkImport({
    state: 'asking',
    questions: [
      { field: 'other_network', message: 'This looks like a report of CJ, not of Awin.', choices: ['cj', 'awin'] },
    ],
  });
  const sent: unknown[] = [];
  server.use(
    http.patch('/api/platform/networks/imports/{id}', async ({ request }) => {
      sent.push(await request.json());
      return json(held);
    }),
  );
  const { user } = renderApp(REPORT);
  await user.click(await screen.findByRole('button', { name: 'It is a report of Awin' }));
  await waitFor(() => expect(sent).toEqual([{ mapping: expect.objectContaining({ is_of_network: true }) as unknown }]));
});

test('rejected rows of an unknown advertiser or status are accepted by a choice', async () => {
  held = networkImport({
    mapping: { date_order: 'dmy' },
    rejected: [
      { line: 3, code: 'unknown_partner', message: 'Which partner is “Acme Ltd”? Choose it in the mapping.' },
      { line: 4, code: 'unknown_status', message: 'The status "on review" is not known. Choose what it means.' },
    ],
  });
  server.use(remapped({ rejected: [], rejectedCount: 0 }));
  const { user } = renderApp(REPORT);
  await user.selectOptions(await screen.findByLabelText('Which partner is “Acme Ltd”?'), 'NordVPN');
  await user.selectOptions(screen.getByLabelText('What does the status “on review” mean?'), 'Pending');
  const card = within(screen.getByRole('region', { name: 'Rejected rows that a choice accepts' }));
  await user.click(card.getByRole('button', { name: 'Read again' }));
  await waitFor(() => expect(screen.queryByLabelText('Which partner is “Acme Ltd”?')).not.toBeInTheDocument());
  expect(sent('PATCH /api/platform/networks/imports/n1')).toEqual([
    { mapping: { date_order: 'dmy', partners: { 'Acme Ltd': 'p1' }, statuses: { 'on review': 'pending' } } },
  ]);
});

test('how the file is read is shown with its first rows, and corrected', async () => {
  server.use(remapped());
  const { user } = renderApp(REPORT);
  await user.click(await screen.findByText('How the file is read'));
  expect(screen.getByRole('table', { name: 'First rows of the file' })).toHaveTextContent(/OrderDateFeeFee \(2\)A-1/);
  expect(screen.getByLabelText('Separator')).toHaveDisplayValue('Semicolon');
  expect(screen.getByRole('button', { name: 'Read again' })).toBeDisabled();
  await user.selectOptions(screen.getByLabelText('Commission'), 'Fee (2)');
  await user.selectOptions(screen.getByLabelText('Order of dates'), 'Month, day, year');
  await user.click(screen.getByRole('button', { name: 'Read again' }));
  await waitFor(() =>
    expect(sent('PATCH /api/platform/networks/imports/n1')).toEqual([
      { mapping: { columns: { commission: 'Fee (2)' }, date_order: 'mdy' } },
    ]),
  );
});

test('a file that cannot be read says why', async () => {
  held = networkImport({ state: 'failed', code: 'zip_archive', message: 'This is a ZIP archive.', layout: null });
  renderApp(REPORT);
  expect(await screen.findByRole('alert')).toHaveTextContent('This is a ZIP archive.');
  expect(screen.queryByRole('button', { name: /^Apply/ })).not.toBeInTheDocument();
  expect(screen.queryByText('How the file is read')).not.toBeInTheDocument();
});

test('an import of another account is not found', async () => {
  server.use(http.get('/api/platform/networks/imports/{id}', () => refuse(404, 'Import not found.')));
  renderApp(REPORT);
  expect(await screen.findByRole('heading', { name: '404 Page Not Found' })).toBeInTheDocument();
});

test('a list that cannot be read says why, and the upload stays', async () => {
  server.use(http.get('/api/platform/networks/imports', () => refuse(403, 'Not yours.')));
  renderApp('/conversions/networks');
  expect(await screen.findByRole('alert')).toHaveTextContent('Not yours.');
  expect(await screen.findByLabelText('Report file')).toBeInTheDocument();
  expect(requests('GET /api/platform/networks/imports')).toHaveLength(1);
});
