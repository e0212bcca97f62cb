import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent } from '@/test/http';
import { requests, server, state } from '@/test/server';
import type { ProgramEntry } from '../api/directory';

const entry = (over: Partial<ProgramEntry> = {}): ProgramEntry => ({
  id: 'p1',
  companyName: 'BarkBox',
  category: 'pets',
  categoryName: 'Pets',
  audience: 'Dog owners',
  description: 'Toys by mail.',
  url: 'https://barkbox.example/',
  commissionType: 'flat',
  commissionRate: 0,
  commissionAmount: { amount: 1800, currency: 'USD' },
  recurring: false,
  cookieDays: 30,
  approval: 'easy',
  payment: 'monthly',
  source: 'Its page',
  partnerId: null,
  origin: 'starter',
  recordedOn: '2026-11-21',
  checkedOn: null,
  reviewOn: '2026-11-21',
  retired: false,
  updatedAt: '2026-11-21T12:00:00Z',
  ...over,
});
const none = () => noContent();

beforeEach(() => {
  signIn();
  server.use(
    http.get('/api/admin/programs', ({ request }) =>
      json(new URL(request.url).searchParams.get('due') ? [] : [entry()]),
    ),
    http.get('/api/admin/program-categories', () => json([{ key: 'pets', name: 'Pets' }])),
    http.post('/api/admin/programs/{id}/review', none),
    http.post('/api/admin/programs/{id}/retire', none),
    http.put('/api/admin/programs/{id}', none),
  );
});

test('programs are listed with what is to be checked, reviewed and retired', async () => {
  const { user } = renderApp('/admin/programs');
  const table = await screen.findByRole('region', { name: 'Programs' });
  expect(within(table).getAllByRole('row')[1]).toHaveTextContent('BarkBoxPets$18.0030 dNot verified yetNov 21, 2026');
  await user.click(screen.getByRole('button', { name: 'Review BarkBox' }));
  await user.click(await screen.findByRole('button', { name: 'Mark as verified' }));
  expect(await screen.findByText('Program reviewed', { exact: true })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Retire BarkBox' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Retire' }));
  expect(await screen.findByText('Program retired', { exact: true })).toBeInTheDocument();
  await user.selectOptions(screen.getByLabelText('Show'), 'Review due');
  expect(await screen.findByText('No review is due.')).toBeInTheDocument();
  expect(requests('GET /api/admin/programs?').at(-1)).toBe('GET /api/admin/programs?limit=50&due=true');
});

test('a program is edited in exact amounts', async () => {
  const { user } = renderApp('/admin/programs');
  await user.click(await screen.findByRole('button', { name: 'Edit BarkBox' }));
  const dialog = await screen.findByRole('dialog');
  expect(within(dialog).getByLabelText('Company')).toBeDisabled();
  await user.selectOptions(within(dialog).getByLabelText('Commission'), 'Both');
  await user.type(within(dialog).getByLabelText('Percent of the sale'), '7.5');
  await user.clear(within(dialog).getByLabelText('Amount'));
  await user.type(within(dialog).getByLabelText('Amount'), '12.50');
  await user.click(within(dialog).getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Program changed', { exact: true })).toBeInTheDocument();
  expect(state.seen.find((item) => item.line.startsWith('PUT'))?.body).toMatchObject({
    commissionType: 'hybrid',
    commissionRate: 7.5,
    commissionAmount: { amount: 1250, currency: 'USD' },
    category: 'pets',
  });
});

test('a file is tried out first; with faults it cannot be imported', async () => {
  let faults: { line: number; column: string | null; message: string }[] = [
    { line: 3, column: 'category', message: "'x' is not a category of the directory." },
  ];
  server.use(
    http.post('/api/admin/programs/import', async ({ request }) => {
      const { dryRun } = (await request.json()) as { dryRun: boolean };
      return json({ added: 1, changed: 1, unchanged: 0, faults, applied: !dryRun && faults.length === 0 });
    }),
  );
  const { user } = renderApp('/admin/programs');
  await user.click(await screen.findByRole('button', { name: 'Import CSV' }));
  const dialog = await screen.findByRole('dialog');
  await user.upload(
    within(dialog).getByLabelText('CSV file'),
    new File(['x'.repeat(900_001)], 'long.csv', { type: 'text/csv' }),
  );
  expect(await within(dialog).findByRole('alert')).toHaveTextContent('at most 1,000 programs and 900,000 characters');
  expect(within(dialog).getByRole('button', { name: 'Check the file' })).toBeDisabled();
  await user.type(within(dialog).getByLabelText('Or paste it here'), 'company_name');
  await user.click(within(dialog).getByRole('button', { name: 'Check the file' }));
  expect(await within(dialog).findByText('1 to add, 1 to change, 0 unchanged, 1 with errors.')).toBeInTheDocument();
  expect(within(dialog).getByRole('region', { name: 'Errors' })).toHaveTextContent(
    "3category'x' is not a category of the directory.",
  );
  expect(within(dialog).getByRole('button', { name: 'Import' })).toBeDisabled();
  faults = [];
  await user.type(within(dialog).getByLabelText('Or paste it here'), ' ');
  await user.click(within(dialog).getByRole('button', { name: 'Check the file' }));
  await user.click(await within(dialog).findByRole('button', { name: 'Import' }));
  expect(await screen.findByText('Programs imported', { exact: true })).toBeInTheDocument();
});
