// Numbers, money and shares as text. Money comes in two shapes: major units (analytics) and minor units (Money).
import type { Money } from './api/types';

const LOCALE = 'en-US';
const cache = new Map<string, Intl.NumberFormat>();

export const formatCount = (value: number): string => number('count', {}).format(value);

/** "1 row", "1,200 rows". */
export const countOf = (value: number, one: string, many = `${one}s`): string => `${formatCount(value)} ${value === 1 ? one : many}`;

export const formatCompact = (value: number): string =>
  number('compact', { notation: 'compact', maximumFractionDigits: 1 }).format(value);

export const formatPercent = (value: number, digits = 2): string =>
  `${number(`percent${digits}`, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value)}%`;

/** Major units; `digits` undefined means the currency's own number of decimals. */
export function formatMoney(value: number, currency: string, digits?: number): string {
  return number(`${currency}/${digits ?? ''}`, {
    style: 'currency',
    currency,
    ...(digits === undefined ? {} : { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  }).format(value);
}

export function formatMinor(money: Money): string {
  return formatMoney(toMajor(money), money.currency);
}

export function toMajor(money: Money): number {
  return money.amount / 10 ** fractionDigits(money.currency);
}

/** "12.5" → 1250 for USD; null for anything that is not an exact, positive amount of that currency. */
export function parseMinor(text: string, currency: string): number | null {
  const digits = fractionDigits(currency);
  const match = /^(\d{1,12})(?:\.(\d+))?$/.exec(text.trim().replace(',', '.'));
  if (!match || (match[2]?.length ?? 0) > digits) return null;
  const minor = Number(`${match[1]}${(match[2] ?? '').padEnd(digits, '0')}`);
  return minor > 0 ? minor : null;
}

export function fractionDigits(currency: string): number {
  return number(`${currency}/`, { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

function number(key: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  let format = cache.get(key);
  if (!format) {
    format = new Intl.NumberFormat(LOCALE, options);
    cache.set(key, format);
  }
  return format;
}
