import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { savedQuery, website } from '@/test/fixtures';
import { renderPart, signIn } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { server } from '@/test/server';
import { snippets } from './clients';
import { faultOf } from '../lib/fault';
import { complete, pieces } from '../lib/language';
import type { ListedQuery, SavedQuery, SqlResult, SqlTable } from '../api/queries';
import { addressOf, linkTo, MAX_LINKED, NOTHING, searchOf, type SqlAddress } from '../lib/address';
import { diffLines } from '../lib/diff';
import { parametersOf } from '../lib/parameters';
import { ResultTable } from './result-table';
import { drawing, isNumber, shown, widths } from '../lib/values';
import { Workbench } from './workbench';

const column = (name: string, type = 'Int64') => ({ name, type, comment: `About ${name}` });
const table = (name: string, ...names: string[]): SqlTable => ({
  name,
  comment: `All ${name}`,
  columns: names.map((one) => column(one)),
  example: `SELECT 1 FROM ${name}`,
});
const TABLES = [table('clicks', 'country', 'visitor'), table('traffic_15m', 'bucket', 'clicks')];
const FUNCTIONS = ['count', 'countIf', 'toDate'];
const texts = (sql: string, asked = false) =>
  complete(sql.replace('|', ''), sql.indexOf('|'), TABLES, FUNCTIONS, asked)?.suggestions.map((one) => one.text);

const SCHEMA = {
  tables: TABLES,
  functions: FUNCTIONS,
  connection: { url: 'http://127.0.0.1:8123', database: 'althing', user: 'ada@example.com' },
  limits: { seconds: 30, rowsRead: 1e9, resultRows: 1e6, resultBytes: 1, pageRows: 10_000, memoryBytes: 1, running: 3 },
};
const result = (over: Partial<SqlResult> = {}): SqlResult => ({
  queryId: 'q1',
  columns: [
    { name: 'country', type: 'String' },
    { name: 'n', type: 'UInt64' },
  ],
  rows: [
    ['DE', '3'],
    ['', null],
  ],
  truncated: false,
  statistics: { rows: 2, rowsRead: 1200, elapsedMs: 7 },
  ...over,
});

const listed = (over: Partial<SavedQuery> = {}): ListedQuery => {
  const { sql, ...head } = savedQuery(over);
  return { ...head, excerpt: sql.slice(0, 5) };
};

/** The page, with its address. */
function AtAddress({ start = NOTHING }: { readonly start?: SqlAddress }) {
  const [address, setAddress] = useState(start);
  return (
    <>
      <Workbench address={address} onAddress={setAddress} />
      <output aria-label="Address">{JSON.stringify(searchOf(address))}</output>
    </>
  );
}

function answers(): { asked: unknown[]; cancelled: string[] } {
  const seen = { asked: [] as unknown[], cancelled: [] as string[] };
  server.use(
    http.get('/api/platform/sql/schema', () => json(SCHEMA)),
    http.get('/api/platform/sql/history', () =>
      json([
        {
          id: 'h1',
          door: 'clickhouse',
          sql: 'SELECT 5',
          tables: [],
          outcome: 'refused',
          message: 'No.',
          rows: 0,
          rowsRead: 0,
          elapsedMs: 0,
          startedAt: '2026-11-20T10:00:00Z',
        },
      ]),
    ),
    http.get('/api/platform/sql/queries', () =>
      json([listed(), listed({ id: 's2', title: 'Theirs', isOwn: false, mayChange: false, authorName: 'Ida' })]),
    ),
    http.get('/api/platform/sql/queries/{id}', () => json(savedQuery())),
    http.get('/api/platform/sql/tokens', () =>
      json([
        {
          id: 't1',
          name: 'Notebook',
          last4: 'abcd',
          createdAt: '2026-11-20T10:00:00Z',
          lastUsedAt: null,
          expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
        },
      ]),
    ),
    http.post('/api/platform/sql', async ({ request }) => {
      seen.asked.push(await request.json());
      return json(result());
    }),
    http.delete('/api/platform/sql/{queryId}', ({ params }) => {
      seen.cancelled.push(String(params['queryId']));
      return noContent();
    }),
  );
  signIn();
  return seen;
}

test('what could be written next', () => {
  expect(texts('SELECT cou| FROM clicks')).toEqual(['country', 'count', 'countIf']);
  expect(texts('SELECT * FROM |', true)).toEqual(['clicks', 'traffic_15m']);
  expect(texts('SELECT * FROM tr|')).toEqual(['traffic_15m']);
  expect(texts('SELECT c.| FROM clicks AS c JOIN traffic_15m t')).toEqual(['country', 'visitor']);
  expect(texts('SELECT t.b| FROM clicks AS c JOIN traffic_15m t')).toEqual(['bucket']);
  expect(texts("SELECT 'cou|")).toBeUndefined();
  expect(texts('SELECT 1 -- cou|')).toBeUndefined();
  expect(texts('SELECT |')).toBeUndefined();
  expect(texts('SELECT toDate|')).toBeUndefined();
});

test('colours follow the words', () => {
  const kinds = pieces("SELECT count(), 'a\\'b' FROM clicks -- x\nLIMIT 10", new Set(['clicks'])).filter(
    (piece) => piece.kind !== 'plain',
  );
  expect(kinds.map((piece) => [piece.kind, piece.text])).toEqual([
    ['keyword', 'SELECT'],
    ['function', 'count'],
    ['text', "'a\\'b'"],
    ['keyword', 'FROM'],
    ['table', 'clicks'],
    ['comment', '-- x'],
    ['keyword', 'LIMIT'],
    ['number', '10'],
  ]);
});

test('values: numbers, widths, charts', () => {
  expect([
    isNumber('Nullable(Decimal(18, 2))'),
    isNumber('LowCardinality(String)'),
    shown([1, 'a']),
    shown(null),
  ]).toEqual([true, false, '[1,"a"]', 'null']);
  expect(widths(result().columns, [['x'.repeat(100), '1']])).toEqual([48, 8]);
  expect(drawing(result(), 0, [1])).toEqual({
    x: 'country',
    series: ['n'],
    points: [
      { x: 'DE', y0: 3 },
      { x: '', y0: null },
    ],
  });
  expect(drawing(result(), 0, [])).toBeNull();
});

test('of 10,000 rows only those near the view are in the page', () => {
  renderPart(
    <ResultTable result={result({ rows: Array.from({ length: 10_000 }, (_, row) => [`c${row}`, String(row)]) })} />,
  );
  expect(screen.getByRole('table')).toHaveAttribute('aria-rowcount', '10001');
  expect(screen.getAllByRole('row').length).toBeLessThan(60);
  fireEvent.scroll(screen.getByRole('region', { name: 'Rows of the result' }), { target: { scrollTop: 30 * 5000 } });
  expect(screen.getByText('c5003')).toBeInTheDocument();
  expect(screen.queryByText('c3')).not.toBeInTheDocument();
});

test('a statement is written with suggestions and run by keys', async () => {
  const seen = answers();
  const { user } = renderPart(<Workbench />);
  const area = screen.getByRole('textbox', { name: 'SQL' });
  await screen.findByText(/^Limits: 30 seconds/);
  await user.clear(area);
  await user.type(area, 'SELECT countI');
  expect(screen.getByRole('option', { name: /countIf/ })).toHaveAttribute('aria-selected', 'true');
  await user.keyboard('{Enter}');
  expect(area).toHaveValue('SELECT countIf(');
  await user.type(area, 'a) FROM cl');
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('listbox')).not.toBeInTheDocument();
  await user.keyboard('{Control>}{Enter}{/Control}');
  expect(await screen.findByText('2 rows in 7 ms, 1,200 rows read.')).toBeInTheDocument();
  expect(seen.asked).toEqual([
    expect.objectContaining({
      sql: 'SELECT countIf(a) FROM cl',
      format: 'json',
      queryId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    }),
  ]);
  const rows = within(screen.getByRole('table', { name: 'Result with 2 rows' })).getAllByRole('row');
  expect(rows.map((row) => row.textContent)).toEqual(['Row#countryStringnUInt64', '1DE3', '2emptynull']);
});

test('errors point at the place that they speak of', () => {
  const text = (message: string, sql: string) => {
    const fault = faultOf(message, sql);
    return fault && [sql.slice(fault.from, fault.to), fault.line, fault.column];
  };
  expect(text('Line 2, column 6: There is no table nowhere.', 'SELECT 1\nFROM nowhere AS n')).toEqual([
    'nowhere',
    2,
    6,
  ]);
  expect(text('Line 1, column 8: There is no column w.domein.', 'SELECT w.domein, 1')).toEqual(['w.domein', 1, 8]);
  expect(text('Line 1, column 8: unexpected ")".', 'SELECT )')).toEqual([')', 1, 8]);
  expect([
    text('Line 9, column 1: Lost.', 'SELECT 1'),
    text('Line 1, column 90: Lost.', 'SELECT 1'),
    text('One statement at a time, please.', 'SELECT 1; SELECT 2'),
  ]).toEqual([null, null, null]);
});

const underlined = () => Array.from(document.querySelectorAll('pre .underline'), (piece) => piece.textContent).join('');

test('the reported position is underlined and reachable; the statement survives leaving the page', async () => {
  answers();
  server.use(
    http.post('/api/platform/sql', () =>
      refuse(400, 'Line 1, column 15: There is no table clickz. Did you mean clicks?'),
    ),
  );
  const { user } = renderPart(<Workbench />);
  const area = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'SQL' });
  await user.clear(area);
  await user.type(area, 'SELECT 1 FROM clickz');
  await user.click(screen.getByRole('button', { name: 'Run' }));
  await user.click(await screen.findByRole('button', { name: 'Go to line 1, column 15' }));
  expect(area).toHaveFocus();
  expect(area.value.slice(area.selectionStart, area.selectionEnd)).toBe('clickz');
  expect(underlined()).toBe('clickz');
  await user.type(area, ' x', { initialSelectionStart: 20 });
  expect(underlined()).toBe('');
  cleanup();
  renderPart(<Workbench />);
  expect(screen.getByRole('textbox', { name: 'SQL' })).toHaveValue('SELECT 1 FROM clickz x');
});

test('what is refused says why; what runs can be cancelled', async () => {
  const seen = answers();
  const { user } = renderPart(<Workbench />);
  server.use(http.post('/api/platform/sql', () => refuse(400, 'There is no table x.')));
  await user.click(screen.getByRole('button', { name: 'Run' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('There is no table x.');
  let end = () => {};
  server.use(
    http.post('/api/platform/sql', async () => {
      await new Promise<void>((resolve) => (end = resolve));
      return refuse(409, 'The statement was canceled.', 'cancelled');
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Run' }));
  await user.click(await screen.findByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(seen.cancelled).toHaveLength(1));
  end();
  expect(await screen.findByText('The statement was canceled.')).toBeInTheDocument();
});

test('tables, history and saved queries go into the editor', async () => {
  answers();
  const { user } = renderPart(<Workbench />);
  const area = screen.getByRole('textbox', { name: 'SQL' });
  await user.click(await screen.findByText('traffic_15m', { selector: 'summary code' }));
  await user.click(screen.getByRole('button', { name: 'Example of traffic_15m' }));
  expect(area).toHaveValue('SELECT 1 FROM traffic_15m');
  await user.click(screen.getByRole('tab', { name: 'History' }));
  expect(await screen.findByText('Rejected')).toBeInTheDocument();
  await user.click(await screen.findByRole('button', { name: 'Open SELECT 5' }));
  expect(area).toHaveValue('SELECT 5');
  server.use(
    http.get('/api/admin/sql/history', () =>
      json([
        {
          id: 'h2',
          door: 'sql page',
          sql: 'SELECT 7',
          tables: [],
          outcome: 'done',
          message: '',
          rows: 1,
          rowsRead: 1,
          elapsedMs: 3,
          startedAt: '2026-11-20T10:00:00Z',
          accountId: 'a',
          email: 'eve@example.com',
        },
      ]),
    ),
  );
  await user.click(screen.getByRole('tab', { name: 'All' }));
  expect(await screen.findByText('eve@example.com')).toBeInTheDocument();
  await user.click(screen.getByRole('tab', { name: 'Saved' }));
  await user.click(await screen.findByText('Kept'));
  await waitFor(() => expect(area).toHaveValue('SELECT 6'));
});

test('a statement is saved under a title; one that is taken asks what shall happen', async () => {
  answers();
  const sent: unknown[] = [];
  server.use(
    http.post('/api/platform/sql/queries', async ({ request }) => {
      const body = (await request.json()) as { ifTitleExists: string };
      sent.push(body);
      return body.ifTitleExists === 'reject'
        ? refuse(409, 'Taken.', 'title_taken')
        : json(savedQuery({ title: 'Mine', sql: 'x' }), { status: 201 });
    }),
  );
  const { user } = renderPart(<AtAddress />);
  await user.click(screen.getByRole('button', { name: 'Save' }));
  const dialog = await screen.findByRole('dialog', { name: 'Save query' });
  await user.type(within(dialog).getByLabelText('Title'), ' Mine ');
  await user.click(within(dialog).getByRole('button', { name: 'Save' }));
  expect(await within(dialog).findByRole('alert')).toHaveTextContent('You already have a query with this title.');
  expect(within(dialog).getByRole('button', { name: 'Keep both' })).toBeInTheDocument();
  await user.click(within(dialog).getByRole('button', { name: 'Save as its new version' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(sent).toEqual([
    expect.objectContaining({ title: 'Mine', ifTitleExists: 'reject' }),
    expect.objectContaining({ title: 'Mine', ifTitleExists: 'replace' }),
  ]);
  expect(screen.getByLabelText('Address')).toHaveTextContent('{"query":"s1"}');
});

test('a link opens a saved query with its values; changes become a version, and a deletion can be undone', async () => {
  const seen = answers();
  const done: unknown[] = [];
  const text = 'SELECT count() FROM clicks WHERE website_id = {website:UUID} AND day > {since:Date}';
  server.use(
    http.get('/api/platform/sql/queries/{id}', () => json(savedQuery({ sql: text }))),
    http.get('/api/platform/websites', () => json([website({ domain: 'shop.example' })])),
    http.patch('/api/platform/sql/queries/{id}', async ({ request }) => {
      done.push(await request.json());
      return json(savedQuery({ sql: 'x', version: 3 }));
    }),
    http.delete('/api/platform/sql/queries/{id}', () => {
      done.push('deleted');
      return noContent();
    }),
    http.post('/api/platform/sql/queries/{id}/restore', () => {
      done.push('restored');
      return json(savedQuery({ sql: 'x', version: 3 }));
    }),
  );
  const { user } = renderPart(<AtAddress start={{ query: 's1', sql: null, values: { since: '2026-11-01' } }} />);
  const area = screen.getByRole('textbox', { name: 'SQL' });
  await waitFor(() => expect(area).toHaveValue(text));
  expect(seen.asked).toEqual([]);
  expect(screen.getByRole('region', { name: 'Open query' })).toHaveTextContent('KeptVersion 2');
  expect(screen.getByLabelText('since')).toHaveValue('2026-11-01');
  await screen.findByRole('option', { name: 'shop.example' });
  await user.selectOptions(screen.getByLabelText('website'), 'shop.example');
  expect(screen.getByLabelText('Address')).toHaveTextContent('"p_website":"w1"');
  server.use(
    http.post('/api/platform/sql', async ({ request }) => {
      seen.asked.push(await request.json());
      const message = '"x" is not valid for the parameter since: enter a date such as 2026-11-20.';
      const errors = [{ field: 'parameters.since', message }];
      return refuse(400, message, 'bad_parameter', errors);
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Run' }));
  await waitFor(() => expect(screen.getByLabelText('since')).toHaveAccessibleDescription(/enter a date/));
  expect(seen.asked).toEqual([
    expect.objectContaining({ sql: text, parameters: { website: 'w1', since: '2026-11-01' } }),
  ]);
  expect(screen.getByRole('button', { name: 'Save' })).toBeDisabled();
  await user.type(area, ' LIMIT 1');
  expect(screen.getByText('Modified')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Version 3 saved')).toBeInTheDocument();
  expect(done).toEqual([{ sql: `${text} LIMIT 1` }]);
  await user.click(screen.getByRole('tab', { name: 'Saved' }));
  expect(screen.queryByRole('button', { name: 'Delete Theirs' })).not.toBeInTheDocument();
  await user.click(await screen.findByRole('button', { name: 'Delete Kept' }));
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(done.slice(1)).toEqual(['deleted', 'restored']));
});

test('versions show what changed, and an earlier one is restored', async () => {
  answers();
  const restored = vi.fn();
  const version = (number: number, sql: string) => ({
    number,
    title: 'Kept',
    sql,
    restoredFrom: null,
    byAuthor: true,
    savedAt: '2026-11-20T10:00:00Z',
  });
  server.use(
    http.get('/api/platform/sql/queries/{id}/versions', ({ request }) =>
      new URL(request.url).searchParams.get('cursor') === 'older'
        ? json([version(1, 'SELECT 5')])
        : json([version(2, 'SELECT 6')], { headers: { Link: '</versions?cursor=older>; rel="next"' } }),
    ),
    http.post('/api/platform/sql/queries/{id}/versions/{number}/restore', ({ params }) => {
      restored(params['number']);
      return json({ id: 's1', title: 'Kept', sql: 'SELECT 5', version: 3, isShared: false });
    }),
  );
  const { user } = renderPart(<AtAddress start={{ ...NOTHING, query: 's1' }} />);
  await user.click(await screen.findByRole('button', { name: 'Versions' }));
  const dialog = await screen.findByRole('dialog', { name: 'Versions of Kept' });
  await user.click(await within(dialog).findByRole('button', { name: 'Show more' }));
  const changes = await within(dialog).findByRole('region', { name: 'Text' });
  await waitFor(() => expect(changes).toHaveTextContent('−Removed: SELECT 5+Added: SELECT 6'));
  await user.click(within(dialog).getByRole('button', { name: /^Version 1/ }));
  await user.click(within(dialog).getByRole('button', { name: 'Restore this version' }));
  await waitFor(() => expect(restored).toHaveBeenCalledWith('1'));
  await waitFor(() => expect(screen.getByLabelText('SQL')).toHaveValue('SELECT 5'));
});

test('the chart of a saved query is pinned with its values; of another text, it says what to do', async () => {
  answers();
  const pinned = vi.fn();
  server.use(
    http.post('/api/platform/sql/pins', async ({ request }) => {
      pinned(await request.json());
      return json({ id: 'p1', queryId: 's1', kind: 'bar', x: 'country', y: [], parameters: {} }, { status: 201 });
    }),
  );
  const { user } = renderPart(<AtAddress />);
  await user.click(screen.getByRole('button', { name: 'Run' }));
  await user.click(await screen.findByRole('tab', { name: 'Chart' }));
  expect(screen.getByText('Save the query to pin this chart to your dashboard.')).toBeInTheDocument();
  await user.click(screen.getByRole('tab', { name: 'Saved' }));
  await user.click(await screen.findByText('Kept'));
  await waitFor(() => expect(screen.getByLabelText('SQL')).toHaveValue('SELECT 6'));
  await user.click(await screen.findByRole('button', { name: 'Run' }));
  await user.click(await screen.findByRole('tab', { name: 'Chart' }));
  await user.click(await screen.findByRole('button', { name: 'Pin to dashboard' }));
  await waitFor(() =>
    expect(pinned).toHaveBeenCalledWith({ queryId: 's1', kind: 'bar', x: 'country', y: [], parameters: {} }),
  );
});

test('addresses, parameters and differences', () => {
  const address = addressOf({ query: 'q', sql: 'SELECT 1', p_site: 'w1', other: 'x' });
  expect(address).toEqual({ query: 'q', sql: 'SELECT 1', values: { site: 'w1' } });
  expect(searchOf(address)).toEqual({ query: 'q', sql: 'SELECT 1', p_site: 'w1' });
  expect(linkTo({ ...NOTHING, sql: 'SELECT 1' })).toBe('http://localhost:3000/sql?sql=SELECT+1');
  expect(linkTo({ ...NOTHING, sql: 'x'.repeat(MAX_LINKED + 1) })).toBeNull();
  expect(
    parametersOf(
      "SELECT '{a:String}' -- {b:Date}\n, {site_id: UUID}, {n:Nullable(Int32)}, {n:UInt8}, {t:DateTime64(3)}",
    ),
  ).toEqual([
    { name: 'site_id', type: 'UUID', kind: 'website' },
    { name: 'n', type: 'Nullable(Int32)', kind: 'number' },
    { name: 't', type: 'DateTime64(3)', kind: 'time' },
  ]);
  expect(diffLines('a\nb\nc', 'a\nx\nc\nd').map(({ kind, text }) => `${kind[0]} ${text}`)).toEqual([
    's a',
    'r b',
    'a x',
    's c',
    'a d',
  ]);
});

test('a token needs the password, is shown once, says when it expires, and can be revoked', async () => {
  answers();
  const revoked = vi.fn();
  const asked = vi.fn();
  server.use(
    http.post('/api/platform/sql/tokens', async ({ request }) => {
      asked(await request.json());
      return json(
        {
          id: 't2',
          name: 'R',
          token: 'sql_secret',
          last4: 'cret',
          createdAt: '2026-11-20T10:00:00Z',
          lastUsedAt: null,
          expiresAt: '2026-12-20T10:00:00Z',
        },
        { status: 201 },
      );
    }),
    http.delete('/api/platform/sql/tokens/{id}', ({ params }) => {
      revoked(params['id']);
      return noContent();
    }),
  );
  const { user } = renderPart(<Workbench />);
  await user.click(await screen.findByRole('button', { name: 'New token' }));
  expect(screen.getByText(/^Soon:/)).toBeInTheDocument();
  await user.type(await screen.findByLabelText('Name'), 'R');
  await user.selectOptions(screen.getByLabelText('Expires after'), '30 days');
  expect(screen.getByRole('button', { name: 'Create token' })).toBeDisabled();
  await user.type(screen.getByLabelText('Your password'), 'a password');
  await user.click(screen.getByRole('button', { name: 'Create token' }));
  expect(await screen.findByText('sql_secret')).toBeInTheDocument();
  expect(screen.getByRole('dialog', { name: 'Your token' })).toHaveAccessibleDescription(/It expires on Dec 20/);
  expect(asked).toHaveBeenCalledWith({ name: 'R', expiresInDays: 30, password: 'a password' });
  await user.click(screen.getByRole('button', { name: 'Done' }));
  expect(screen.queryByText('sql_secret')).not.toBeInTheDocument();
  await user.click(await screen.findByRole('button', { name: 'Revoke Notebook' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Revoke' }));
  await waitFor(() => expect(revoked).toHaveBeenCalledWith('t1'));
});

test('lines for clients name the address and the person', () => {
  const all = snippets('https://ch.example:8443', 'ada@example.com')
    .map((one) => one.text)
    .join('\n');
  expect(all).toContain('host="ch.example", port=8443, username="ada@example.com", password="TOKEN", secure=True');
  expect(all).toContain('jdbc:clickhouse:https://ch.example:8443/althing?user=ada%40example.com');
});
