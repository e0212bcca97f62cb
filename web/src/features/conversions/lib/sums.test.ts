import { expect, test } from 'vitest';
import { conversion, totals } from '@/test/fixtures';
import { added, pendingOf, sumOf } from './sums';

const usd = (amount: number) => ({ amount, currency: 'USD' });
const eur = (amount: number) => ({ amount, currency: 'EUR' });

test('amounts of different currencies are never added up', () => {
  expect(added([usd(100), eur(7), usd(-30), eur(1)])).toEqual([usd(70), eur(8)]);
  expect(added([])).toEqual([]);
});

test('a selection comes to its commissions, and says how many have no partner', () => {
  const rows = [conversion({ commission: usd(3000) }), conversion({ commission: eur(5), partnerId: null })];
  expect(sumOf(rows)).toEqual({ count: 2, unattributed: 1, commission: [usd(3000), eur(5)] });
});

test('of a filter, what is pending can be decided', () => {
  const found = totals([conversion({ commission: usd(3000) }), conversion({ status: 'approved', commission: usd(9) })]);
  expect(pendingOf(found)).toEqual({ count: 1, unattributed: 0, commission: [usd(3000)] });
  expect(pendingOf(undefined)).toEqual({ count: 0, unattributed: 0, commission: [] });
});
