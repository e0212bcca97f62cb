import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, test, vi } from 'vitest';
import { renderPart, signIn } from '@/test/render';
import { at, refuse, server } from '@/test/server';
import { snippets } from './clients';
import { faultOf } from '../lib/fault';
import { complete, pieces } from '../lib/language';
import type { SqlResult, SqlTable } from '../api/queries';
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

function answers(): { asked: unknown[]; cancelled: string[] } {
  const seen = { asked: [] as unknown[], cancelled: [] as string[] };
  server.use(
    http.get(at('/api/platform/sql/schema'), () => HttpResponse.json(SCHEMA)),
    http.get(at('/api/platform/sql/history'), () =>
      HttpResponse.json([
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
    http.get(at('/api/platform/sql/queries'), () =>
      HttpResponse.json([{ id: 's1', title: 'Kept', sql: 'SELECT 6', createdAt: '2026-11-20T10:00:00Z' }]),
    ),
    http.get(at('/api/platform/sql/tokens'), () =>
      HttpResponse.json([
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
    http.post(at('/api/platform/sql'), async ({ request }) => {
      seen.asked.push(await request.json());
      return HttpResponse.json(result());
    }),
    http.delete(at('/api/platform/sql/{queryId}'), ({ params }) => {
      seen.cancelled.push(String(params['queryId']));
      return new HttpResponse(null, { status: 204 });
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
  expect(text('This is no SELECT that can be read: Expecting ). Line 2, Col: 4', 'SELECT (1\nFROM clicks')).toEqual([
    'FROM',
    2,
    1,
  ]);
  expect(
    text(
      'This is no SELECT that can be read: Invalid expression / Unexpected token. Line 1, Col: 12',
      'SELECT a b c FROM clicks',
    ),
  ).toEqual(['c', 1, 12]);
  expect(text('There is no table nowhere. Tables: clicks.', "SELECT 'nowhere' -- nowhere\nFROM Nowhere")).toEqual([
    'Nowhere',
    2,
    6,
  ]);
  expect(text('The function file is not available here.', 'SELECT file_1, file(1)')).toEqual(['file', 1, 16]);
  expect(
    text(
      'Unknown expression or function identifier `contry` in scope SELECT contry FROM x',
      'SELECT contry FROM clicks',
    ),
  ).toEqual(['contry', 1, 8]);
  expect(text('There is no table system.one.', 'SELECT * FROM system . one')).toEqual(['system . one', 1, 15]);
  expect([
    text('Line 9, Col: 1', 'SELECT 1'),
    text('There is no table x.', 'SELECT 1'),
    text('One statement at a time, please.', 'SELECT 1; SELECT 2'),
  ]).toEqual([null, null, null]);
});

const underlined = () => Array.from(document.querySelectorAll('pre .underline'), (piece) => piece.textContent).join('');

test('the reported position is underlined and reachable; the statement survives leaving the page', async () => {
  answers();
  server.use(http.post(at('/api/platform/sql'), () => refuse(400, 'There is no table clickz.')));
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
  server.use(http.post(at('/api/platform/sql'), () => refuse(400, 'There is no table x.')));
  await user.click(screen.getByRole('button', { name: 'Run' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('There is no table x.');
  let end = () => {};
  server.use(
    http.post(at('/api/platform/sql'), async () => {
      await new Promise<void>((resolve) => (end = resolve));
      return HttpResponse.json(
        { status: 409, code: 'cancelled', message: 'The statement was cancelled.' },
        { status: 409 },
      );
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Run' }));
  await user.click(await screen.findByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(seen.cancelled).toHaveLength(1));
  end();
  expect(await screen.findByText('The statement was cancelled.')).toBeInTheDocument();
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
    http.get(at('/api/admin/sql/history'), () =>
      HttpResponse.json([
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
  expect(area).toHaveValue('SELECT 6');
});

test('the statement can be kept', async () => {
  answers();
  const kept = vi.fn();
  server.use(
    http.post(at('/api/platform/sql/queries'), async ({ request }) => {
      kept(await request.json());
      return HttpResponse.json(
        { id: 's2', title: 'Mine', sql: 'x', createdAt: '2026-11-20T10:00:00Z' },
        { status: 201 },
      );
    }),
  );
  const { user } = renderPart(<Workbench />);
  await user.click(screen.getByRole('button', { name: 'Save' }));
  const dialog = await screen.findByRole('dialog', { name: 'Save query' });
  await user.type(within(dialog).getByLabelText('Title'), ' Mine ');
  await user.click(within(dialog).getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(kept).toHaveBeenCalledWith(expect.objectContaining({ title: 'Mine' })));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
});

test('a token needs the password, is shown once, says when it expires, and can be revoked', async () => {
  answers();
  const revoked = vi.fn();
  const asked = vi.fn();
  server.use(
    http.post(at('/api/platform/sql/tokens'), async ({ request }) => {
      asked(await request.json());
      return HttpResponse.json(
        {
          id: 't2',
          name: 'R',
          token: 'sql_secret',
          last4: 'cret',
          createdAt: '2026-11-20T10:00:00Z',
          expiresAt: '2026-12-20T10:00:00Z',
        },
        { status: 201 },
      );
    }),
    http.delete(at('/api/platform/sql/tokens/{id}'), ({ params }) => {
      revoked(params['id']);
      return new HttpResponse(null, { status: 204 });
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
