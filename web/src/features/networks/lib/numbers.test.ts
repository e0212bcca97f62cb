import { expect, test } from 'vitest';
import { deltaText, signedMoney } from '@/lib/imports/delta';
import { applyLabel, numbersOf, reportedMoney, summaryOf } from './numbers';

const counts = (over: object = {}) => ({
  new: 120,
  changed: 14,
  unchanged: 0,
  unmatched: 3,
  tests: 0,
  rejectedCount: 2,
  delta: [{ amount: -1240, currency: 'EUR' }],
  ...over,
});

test('the numbers of a preview are said in its order, and those that are zero are left out', () => {
  expect(summaryOf(counts())).toBe('120 new, 14 changed, 3 without a click, 2 rejected');
  expect(summaryOf(counts({ new: 1200, changed: 0, unmatched: 0, rejectedCount: 0, unchanged: 5 }))).toBe(
    '1,200 new, 5 unchanged',
  );
  expect(summaryOf(counts({ new: 0, changed: 0, unmatched: 0, rejectedCount: 0 }))).toBe('No rows');
});

test('unchanged rows and test actions have a number only where there are any', () => {
  expect(numbersOf(counts()).map(({ kind }) => kind)).toEqual(['new', 'changed', 'unmatched', 'rejected']);
  expect(numbersOf(counts({ unchanged: 1, tests: 2 })).map(({ kind }) => kind)).toEqual([
    ...['new', 'changed', 'unmatched', 'rejected', 'unchanged', 'test'],
  ]);
});

test('a difference has its sign, by currency', () => {
  expect(signedMoney({ amount: -1240, currency: 'EUR' })).toBe('−€12.40');
  expect(signedMoney({ amount: 5, currency: 'USD' })).toBe('+$0.05');
  expect(signedMoney({ amount: 0, currency: 'JPY' })).toBe('¥0');
  expect(
    deltaText([
      { amount: -1240, currency: 'EUR' },
      { amount: 100, currency: 'SEK' },
    ]),
  ).toBe('−€12.40, +SEK\u00a01.00');
});

test('"Apply" names the rows that change something', () => {
  expect(applyLabel(counts())).toBe('Apply 134 changes');
  expect(applyLabel(counts({ new: 1, changed: 0 }))).toBe('Apply 1 change');
  expect(applyLabel(counts({ new: 0, changed: 0 }))).toBe('Apply');
});

test('an amount of the network is shown as it was reported', () => {
  expect(reportedMoney('12.4', 'EUR')).toBe('€12.40');
  expect(reportedMoney('-3', '')).toBe('-3');
  expect(reportedMoney(null, 'EUR')).toBe('');
});
