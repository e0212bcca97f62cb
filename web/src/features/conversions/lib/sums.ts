import type { Conversion, ConversionTotals, Money } from '@/lib/api/types';
import type { Sum } from '../components/bulk-dialog';

/** What rows amount to together. */
export const sumOf = (rows: readonly Pick<Conversion, 'partnerId' | 'commission'>[]): Sum => ({
  count: rows.length,
  unattributed: rows.filter((row) => !row.partnerId).length,
  commission: added(rows.map((row) => row.commission)),
});

/** What the pending ones of a filter amount to. */
export function pendingOf(totals: ConversionTotals | undefined): Sum {
  const pending = totals?.statuses.filter((item) => item.status === 'pending') ?? [];
  return {
    count: pending.reduce((sum, item) => sum + item.count, 0),
    unattributed: pending.reduce((sum, item) => sum + item.unattributed, 0),
    commission: added(pending.map((item) => item.commission)),
  };
}

/** One amount for each currency. */
export function added(amounts: readonly Money[]): readonly Money[] {
  const sums = new Map<string, number>();
  for (const { amount, currency } of amounts) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  return [...sums].map(([currency, amount]) => ({ amount, currency }));
}
