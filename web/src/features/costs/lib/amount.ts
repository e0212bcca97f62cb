import { parseMinor } from '@/lib/format';

/** "-12.50" → -1250 for USD: a refund or a credit; null for anything that is not an exact amount other than zero. */
export function signedMinor(text: string, currency: string): number | null {
  const trimmed = text.trim();
  const isNegative = trimmed.startsWith('-') || trimmed.startsWith('−');
  const minor = parseMinor(isNegative ? trimmed.slice(1) : trimmed, currency);
  return minor === null || !isNegative ? minor : -minor;
}
