import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { CostImport } from '@/features/costs/api/imports';
import { costImport, costImportRow } from '@/test/cost-imports';
import { renderApp, signIn } from '@/test/render';
import { http, json } from '@/test/http';
import { requests, server, state } from '@/test/server';

const SHOWN = '/payouts/costs?website=w1&import=c1';
/** The import as the server has it. */
let held: CostImport;

const sent = (line: string) => state.seen.filter((item) => item.line === line).map((item) => item.body);
const becomes = (action: 'apply' | 'cancel' | 'undo', next: CostImport['state']) =>
  http.post(`/api/platform/costs/imports/{id}/${action}`, () => {
    held = costImport({ ...held, state: next });
    return json(held);
  });

beforeEach(() => {
  signIn();
  held = costImport();
  server.use(
    http.get('/api/platform/costs', () => json([])),
    http.get('/api/platform/costs/imports', () => json([held])),
    http.get('/api/platform/costs/imports/{id}', () => json(held)),
    http.get('/api/platform/costs/imports/{id}/rows', ({ request }) =>
      json(
        new URL(request.url).searchParams.get('kind') === 'rejected'
          ? [costImportRow({ kind: 'rejected', line: 9, day: null, amount: null, message: 'No cost.', text: 'x;y' })]
          : [costImportRow()],
      ),
    ),
  );
});

test('imports are listed with their state and what they change, and open in the page', async () => {
  const { user, router } = renderApp('/payouts/costs?website=w1');
  const table = within(await screen.findByRole('table', { name: 'Imports table' }));
  expect(table.getAllByRole('row')[1]).toHaveTextContent(/^november\.csvGoogle Ads.*Preview\+€182\.50$/);
  await user.click(table.getByRole('button', { name: 'november.csv' }));
  expect(await screen.findByRole('heading', { name: 'Google Ads: november.csv' })).toBeInTheDocument();
  expect(router.state.location.href).toBe(SHOWN);
});

test('an upload requires a platform and a file, and its preview opens', async () => {
  let form: FormData | undefined;
  server.use(
    http.post('/api/platform/costs/imports', async ({ request }) => {
      form = await request.formData();
      return json(held, { status: 201 });
    }),
  );
  const { user, router } = renderApp('/payouts/costs?website=w1');
  await user.click(await screen.findByRole('button', { name: 'Preview' }));
  expect(screen.getByLabelText('File')).toHaveAccessibleDescription(/^Please choose the file/);
  expect(screen.getByLabelText('Platform')).toHaveAccessibleDescription('Please choose the platform');
  expect(requests('POST')).toEqual([]);
  await user.upload(screen.getByLabelText('File'), new File(['Day,Cost'], 'november.csv'));
  await user.selectOptions(screen.getByLabelText('Platform'), 'Meta Ads');
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  await waitFor(() => expect(router.state.location.href).toBe(SHOWN));
  expect([form?.get('platform'), form?.get('websiteId'), form?.has('file')]).toEqual(['meta', 'w1', true]);
});

test('each number of the preview opens its rows', async () => {
  const { user } = renderApp(SHOWN);
  const numbers = within(await screen.findByRole('list', { name: 'Rows of the report' }));
  expect(numbers.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    ...['30 new', '4 changed', '0 unchanged', '2 rejected', '+€182.50 change in cost'],
  ]);
  await user.click(numbers.getByRole('button', { name: '30 new' }));
  const rows = await screen.findByRole('table', { name: 'Rows table: new' });
  expect(within(rows).getAllByRole('row')[1]).toHaveTextContent('Nov 3, 2026Google · Spring4€1.50');
  await user.click(numbers.getByRole('button', { name: '2 rejected' }));
  const rejected = await screen.findByRole('table', { name: 'Rows table: rejected' });
  expect(within(rejected).getAllByRole('row')[1]).toHaveTextContent('No cost.9x;y');
});

test('an import is applied, and undone after a question', async () => {
  server.use(becomes('apply', 'applied'), becomes('undo', 'undone'));
  const { user } = renderApp(SHOWN);
  await user.click(await screen.findByRole('button', { name: 'Apply 34 changes' }));
  await user.click(await screen.findByRole('button', { name: 'Undo import' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Undo this import?' }));
  expect(requests('POST').filter((line) => line.endsWith('/undo'))).toEqual([]);
  await user.click(dialog.getByRole('button', { name: 'Undo import' }));
  expect(await screen.findAllByText('Undone')).not.toHaveLength(0);
});

test('what the file leaves open is answered by the mapping, which is sent whole', async () => {
  held = costImport({
    state: 'asking',
    layout: { columns: { cost: 'Cost' }, date_order: '', decimal_mark: '.' },
    mapping: { currency: 'EUR' },
    questions: [{ field: 'columns.day', message: 'Which column has the day?', choices: ['Day'] }],
  });
  server.use(
    http.patch('/api/platform/costs/imports/{id}', () => {
      held = costImport();
      return json(held);
    }),
  );
  const { user } = renderApp(SHOWN);
  expect(await screen.findByText('Which column has the day?')).toBeInTheDocument();
  await user.selectOptions(screen.getByLabelText('Day'), 'Day');
  await user.selectOptions(screen.getByLabelText('Order of dates'), 'Day, month, year');
  await user.type(screen.getByLabelText('Source of the visits'), 'google');
  await user.click(screen.getByRole('button', { name: 'Read again' }));
  expect(await screen.findByRole('button', { name: 'Apply 34 changes' })).toBeInTheDocument();
  expect(sent('PATCH /api/platform/costs/imports/c1')).toEqual([
    { mapping: { currency: 'EUR', columns: { day: 'Day' }, date_order: 'dmy', source: 'google' } },
  ]);
});

test('a file that cannot be read says why', async () => {
  held = costImport({ state: 'failed', layout: null, message: 'This file is no table.', notes: [] });
  renderApp(SHOWN);
  expect(await screen.findByText(/This file is no table\./)).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Apply' })).not.toBeInTheDocument();
});
