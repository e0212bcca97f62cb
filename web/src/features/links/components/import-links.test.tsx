import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { components } from '@/lib/api/schema';
import { renderApp, signIn } from '@/test/render';
import { http, json, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';

type Plan = components['schemas']['LinkImportPlan'];

const CSV = 'slug,partner\nspring,nordvpn\nautumn,nordvpn\n';
const line = (over: Partial<Plan['lines'][number]>): Plan['lines'][number] => ({
  line: 2,
  slug: 'spring',
  outcome: 'new',
  destination: 'https://nordvpn.com/',
  columns: [],
  message: null,
  ...over,
});
const GOOD: Plan = {
  created: 2,
  changed: 0,
  unchanged: 0,
  refused: 0,
  lines: [line({}), line({ line: 3, slug: 'autumn' })],
};
const HALF_TAKEN: Plan = {
  created: 1,
  changed: 0,
  unchanged: 0,
  refused: 1,
  lines: [
    line({
      line: 3,
      slug: 'autumn',
      outcome: 'refused',
      destination: null,
      columns: ['slug'],
      message: 'The slug autumn is taken.',
    }),
    line({}),
  ],
};

let plan = GOOD;

beforeEach(() => {
  signIn();
  plan = GOOD;
  server.use(http.post('/api/platform/links/import/plan', () => json(plan)));
});

async function choose(text: string) {
  const { user } = renderApp('/links');
  await user.click(await screen.findByRole('button', { name: 'Import CSV' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Import links' }));
  await user.upload(dialog.getByLabelText('CSV file'), new File([text], 'links.csv', { type: 'text/csv' }));
  return { user, dialog };
}

const sent = (path: string) => state.seen.filter(({ line }) => line === `POST ${path}`).map(({ body }) => body);

test('a file is previewed as soon as it is chosen, then imported', async () => {
  server.use(http.post('/api/platform/links/import', () => json({ created: 2, changed: 0, unchanged: 0 })));
  const { user, dialog } = await choose(CSV);
  const preview = within(await dialog.findByRole('region', { name: 'Preview' }));
  expect(preview.getByRole('status')).toHaveTextContent('2 new, 0 changed, 0 unchanged, 0 with errors.');
  expect(requests('POST')).not.toContain('POST /api/platform/links/import');
  await user.click(await dialog.findByRole('button', { name: 'Import 2 links' }));
  expect(await screen.findByText('2 links created, 0 links changed')).toBeInTheDocument();
  expect(sent('/api/platform/links/import')).toEqual([{ websiteId: 'w1', csv: CSV, updatesExisting: false }]);
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Import links' })).not.toBeInTheDocument());
});

test('with a taken slug nothing can be imported, and the line and its column are named', async () => {
  plan = HALF_TAKEN;
  const { dialog } = await choose(CSV);
  const preview = within(await dialog.findByRole('region', { name: 'Preview' }));
  expect(preview.getByRole('status')).toHaveTextContent(
    '1 new, 0 changed, 0 unchanged, 1 with errors. Nothing is imported until every line is right.',
  );
  expect(preview.getByRole('row', { name: /autumn 3 Error slug The slug autumn is taken\./ })).toBeInTheDocument();
  expect(dialog.getByRole('button', { name: 'Import 1 link' })).toBeDisabled();
});

test('existing links are changed only where that is wished', async () => {
  const { user, dialog } = await choose(CSV);
  await dialog.findByRole('region', { name: 'Preview' });
  await user.click(dialog.getByRole('checkbox', { name: /Update links that exist/ }));
  await waitFor(() =>
    expect(sent('/api/platform/links/import/plan')).toEqual([
      { websiteId: 'w1', csv: CSV, updatesExisting: false },
      { websiteId: 'w1', csv: CSV, updatesExisting: true },
    ]),
  );
});

test('a slug that is taken after the preview is shown in a new one', async () => {
  server.use(
    http.post('/api/platform/links/import', () => {
      plan = HALF_TAKEN;
      return refuse(400, "1 of 2 lines can't be imported; nothing was imported.", 'bad_lines');
    }),
  );
  const { user, dialog } = await choose(CSV);
  await user.click(await dialog.findByRole('button', { name: 'Import 2 links' }));
  expect(await dialog.findByText('The slug autumn is taken.')).toBeInTheDocument();
  expect(dialog.getByRole('alert')).toHaveTextContent('nothing was imported');
});

test('what the server says of the file itself is shown', async () => {
  server.use(http.post('/api/platform/links/import/plan', () => refuse(400, 'Unknown column: price.', 'bad_header')));
  const { dialog } = await choose('slug,price\na,1');
  expect(await dialog.findByRole('alert')).toHaveTextContent('Unknown column: price.');
  expect(dialog.getByRole('button', { name: 'Import' })).toBeDisabled();
});

test('a file that is no text is not sent', async () => {
  const { dialog } = await choose('PK\0\0');
  expect(await dialog.findByRole('alert')).toHaveTextContent('Save your spreadsheet as CSV');
  expect(requests('POST')).not.toContain('POST /api/platform/links/import/plan');
});
