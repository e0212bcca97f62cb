import { expect, test } from 'vitest';
import { countOf, formatMinor, formatMoney, formatPercent, parseMinor } from './format';

test('minor units follow the currency', () => {
  expect(formatMinor({ amount: 123_456, currency: 'USD' })).toBe('$1,234.56');
  expect(formatMinor({ amount: 1234, currency: 'JPY' })).toBe('¥1,234');
  expect(formatMinor({ amount: 1234, currency: 'KWD' })).toContain('1.234');
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
  ['', 'USD', null],
])('%s %s is %s minor units', (text, currency, minor) => {
  expect(parseMinor(text, currency)).toBe(minor);
});

test('one thing is not many things', () => {
  expect([countOf(0, 'row'), countOf(1, 'row'), countOf(1200, 'row'), countOf(1, 'reply', 'replies'), countOf(2, 'reply', 'replies')]).toEqual(['0 rows', '1 row', '1,200 rows', '1 reply', '2 replies']);
});
