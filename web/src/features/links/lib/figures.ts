import type { Link } from '@/lib/api/types';
import { formatMinor } from '@/lib/format';

/** Earnings per click, rounded to the smallest unit; null without clicks. */
export function epcOf({ clicks, earnings }: Pick<Link, 'clicks' | 'earnings'>): string | null {
  if (!clicks || !earnings) return null;
  return formatMinor({ amount: Math.round(earnings.amount / clicks), currency: earnings.currency });
}
