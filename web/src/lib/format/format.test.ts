import { expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { toCsv } from '@/lib/files/csv';
import { Exact, exactly, parseExactly } from './exact';
import {
  countOf,
  formatCount,
  formatMinor,
  formatMoney,
  formatPercent,
  fractionDigits,
  majorText,
  parseMinor,
} from './index';

test('minor units follow the currency', () => {
  expect(formatMinor({ amount: 123_456, currency: 'USD' })).toBe('$1,234.56');
  expect(formatMinor({ amount: 1234, currency: 'JPY' })).toBe('¥1,234');
  expect(formatMinor({ amount: 1234, currency: 'KWD' })).toContain('1.234');
});

test('what is owed the other way has a minus, whatever its size', () => {
  expect(formatMinor({ amount: -123_456, currency: 'USD' })).toBe('-$1,234.56');
  expect(formatMinor({ amount: -5, currency: 'USD' })).toBe('-$0.05');
  expect(majorText({ amount: -5, currency: 'JPY' })).toBe('-5');
});

test('currencies have the decimals that the server counts by, whatever the browser knows', () => {
  const source = readFileSync('../schemas/currencies.py', 'utf8');
  const table = { _ZERO: 0, _TWO: 2, _THREE: 3, _FOUR: 4 };
  for (const [name, digits] of Object.entries(table)) {
    const [, codes = ''] = new RegExp(`^${name}: Final = (\\([^)]*\\)|"[^"]*")`, 'm').exec(source) ?? [];
    const known = codes.match(/[A-Z]{3}/g) ?? [];
    expect(known.length).toBeGreaterThan(1);
    for (const code of known) expect([code, fractionDigits(code)]).toEqual([code, digits]);
  }
  expect(formatMinor({ amount: 123_456, currency: 'HUF' })).toContain('1,234.56');
  expect(formatMinor({ amount: 1234, currency: 'IQD' })).toContain('1.234');
  expect(parseMinor('12.5', 'IDR')).toBe(1250);
});

test.each(['JPY', 'USD', 'KWD'])(
  'sums of 10^24 minor units of %s keep every digit: parts add up, on the page and in files',
  async (currency) => {
    let seed = 7n;
    const next = () => (seed = (seed * 6364136223846793005n + 1442695040888963407n) % 2n ** 64n);
    const digits = fractionDigits(currency);
    const back = (text: string) => BigInt(text.replace(/[^\d.]/g, '').replace('.', ''));
    for (let round = 0; round < 50; round++) {
      const parts = Array.from({ length: 8 }, () => (next() * next()) % 10n ** 24n);
      const total = parts.reduce((sum, part) => sum + part, 0n);
      const major = (units: bigint) => majorText({ amount: new Exact(String(units)) as unknown as number, currency });
      const json = `{"name":"1234567890123456789","minor":${total},"rows":[${parts.map((part) => `{"revenue":${major(part)}}`).join(',')}]}`;
      const answered = await exactly(new Response(json, { headers: { 'Content-Type': 'application/json' } }));
      const found = (await answered.json()) as { name: string; minor: number; rows: { revenue: number }[] };
      expect(found.name).toBe('1234567890123456789');
      expect(back(formatMinor({ amount: found.minor, currency }))).toBe(total);
      expect(found.rows.reduce((sum, row) => sum + back(formatMoney(row.revenue, currency)), 0n)).toBe(total);
      const file = toCsv(
        ['revenue'],
        found.rows.map((row) => [row.revenue]),
      )
        .trim()
        .split('\r\n')
        .slice(1);
      expect(file.reduce((sum, cell) => sum + back(cell.padEnd(1)), 0n)).toBe(total);
      for (const row of found.rows) expect(formatMoney(row.revenue, currency).split('.')[1]?.length ?? 0).toBe(digits);
      expect(found.minor / 2).toBeCloseTo(Number(total) / 2, -15);
    }
  },
);

test('only what a double would change becomes exact', () => {
  const text =
    '[0.1, 12345678901234.50, 0.3333333333333333, 9007199254740991, 1e400, -9007199254740993.01, "\\"1234567890123456789"]';
  const found = parseExactly(text) as unknown[];
  expect(found.slice(0, 5)).toEqual([0.1, 12345678901234.5, 0.3333333333333333, 9007199254740991, Infinity]);
  expect(found[5]).toBeInstanceOf(Exact);
  expect(`${found[5] as Exact}`).toBe('-9007199254740993.01');
  expect(found[6]).toBe('"1234567890123456789');
  expect(parseExactly('{"a":1}')).toEqual({ a: 1 });
});

test('major units without and with decimals', () => {
  expect(formatMoney(1234.56, 'USD', 0)).toBe('$1,235');
  expect(formatMoney(1234.5, 'USD', 2)).toBe('$1,234.50');
  expect(formatPercent(3.888)).toBe('3.89%');
});

test.each([
  ['12.5', 'USD', 1250],
  ['12,50', 'USD', 1250],
  ['12', 'USD', 1200],
  ['0.29', 'USD', 29],
  ['12.345', 'USD', null],
  ['12.5', 'JPY', null],
  ['1200', 'ISK', 1200],
  ['0', 'USD', null],
  ['-1', 'USD', null],
  ['1e3', 'USD', null],
  ['10000000000000', 'USD', 1e15],
  ['10000000000000.01', 'USD', null],
  ['1.2345', 'CLF', 12345],
  ['', 'USD', null],
])('%s %s is %s minor units', (text, currency, minor) => {
  expect(parseMinor(text, currency)).toBe(minor);
});

test('one thing is not many things', () => {
  expect([
    countOf(0, 'row'),
    countOf(1, 'row'),
    countOf(1200, 'row'),
    countOf(1, 'reply', 'replies'),
    countOf(2, 'reply', 'replies'),
  ]).toEqual(['0 rows', '1 row', '1,200 rows', '1 reply', '2 replies']);
});

test.each([0, 7, 999, 1000, -1234, 12345, 1234567, Number.MAX_SAFE_INTEGER, 2 ** 60, 0.5, 1234.5678])(
  'the count %d is written as the locale writes it',
  (value) => {
    expect(formatCount(value)).toBe(new Intl.NumberFormat('en-US').format(value));
  },
);
