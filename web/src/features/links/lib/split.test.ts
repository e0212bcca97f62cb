import { expect, test } from 'vitest';
import { linkSplit as split, splitVariant as variant } from '@/test/fixtures';
import { formatEpc, verdictOf } from './split';

const ahead = { better: 4, other: 1, by: 12.34, low: 3, high: 21, percent: 37.2, sureness: 0.99997, isCertain: true };

test('what is missing is named by variant', () => {
  const found = verdictOf(split({ missingDays: 1, missingBuyers: [{ number: 1, buyers: 24 }] }));
  expect(found).toEqual({
    title: 'Not enough data yet',
    text: 'A verdict needs 24 more buyers of Old page, 1 more day.',
  });
});

test('a winner comes with the difference, its interval and how sure it is', () => {
  const found = verdictOf(split({ verdict: 'winner', leader: 4, comparisons: [ahead] }));
  expect(found.title).toBe('Variant 4 wins');
  expect(found.text).toBe(
    'It earns $0.123 (37%) more per click than Old page: at least $0.030 and at most $0.210. Sureness: over 99.9%.',
  );
});

test('of several variants the closest one is named', () => {
  const three = [variant(1), variant(2), variant(3)];
  const comparisons = [
    { ...ahead, better: 3, other: 1 },
    { ...ahead, better: 3, other: 2, by: 2, low: -5, percent: null },
  ];
  const found = verdictOf(split({ variants: three, verdict: 'undecided', leader: 3, comparisons, moreBuyers: 1234 }));
  expect(found.text).toBe(
    'Variant 3 is ahead of Variant 2 by $0.020 per click, which can still be chance. If it stays that way, about 1,234 more buyers will decide it.',
  );
});

test('earnings per click have one digit more than the currency', () => {
  expect([formatEpc(1.5, 'USD'), formatEpc(12.3, 'JPY')]).toEqual(['$0.015', '¥12.3']);
});
