// What an import changes in money.
import { formatMoney, majorText } from '@/lib/format';
import type { Money } from '@/lib/api/types';

/** A difference has its sign: "+€12.40", "−€12.40". */
export function signedMoney(money: Money): string {
  const text = majorText(money);
  const isNegative = text.startsWith('-');
  const sign = isNegative ? '−' : /[1-9]/.test(text) ? '+' : '';
  return `${sign}${formatMoney(text.replace('-', ''), money.currency)}`;
}

export const deltaText = (delta: readonly Money[]): string => delta.map(signedMoney).join(', ');
