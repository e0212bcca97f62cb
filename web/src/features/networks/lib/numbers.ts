// What an import does, in numbers.
import { countOf, formatCount, formatMoney } from '@/lib/format';
import type { ImportNumber } from '@/components/data/import-numbers';
import type { NetworkImport, RowKind } from '../api/imports';

type Counts = Pick<NetworkImport, 'new' | 'changed' | 'unchanged' | 'unmatched' | 'tests' | 'rejectedCount' | 'delta'>;

/** In the order of the preview; unchanged rows and test actions only where there are any. */
export function numbersOf(of: Counts): readonly ImportNumber<RowKind>[] {
  return [
    { kind: 'new', count: of.new ?? 0, label: 'new' },
    { kind: 'changed', count: of.changed ?? 0, label: 'changed' },
    { kind: 'unmatched', count: of.unmatched ?? 0, label: 'without a click' },
    { kind: 'rejected', count: of.rejectedCount ?? 0, label: 'rejected' },
    ...(of.unchanged ? [{ kind: 'unchanged' as const, count: of.unchanged, label: 'unchanged' }] : []),
    ...(of.tests ? [{ kind: 'test' as const, count: of.tests, label: 'test actions' }] : []),
  ];
}

/** "120 new, 14 changed, 2 rejected". */
export function summaryOf(of: Counts): string {
  const shown = numbersOf(of).filter(({ count, kind }) => count > 0 && kind !== 'test');
  return shown.map(({ count, label }) => `${formatCount(count)} ${label}`).join(', ') || 'No rows';
}

/** What "Apply" does. */
export function applyLabel(of: Counts): string {
  const changes = (of.new ?? 0) + (of.changed ?? 0);
  return changes > 0 ? `Apply ${countOf(changes, 'change')}` : 'Apply';
}

/** A decimal of the network, as money where its currency is known. */
export function reportedMoney(decimal: string | null, currency: string): string {
  if (decimal === null) return '';
  return /^[A-Z]{3}$/.test(currency) ? formatMoney(decimal, currency) : `${decimal} ${currency}`.trim();
}
