// Numbers, money and shares as text. Money comes in two shapes: major units (analytics) and minor units (Money).
import type { Money } from '@/lib/api/types';
import { fractionDigits } from './currencies';
import { Exact } from './exact';

export { fractionDigits };

const LOCALE = 'en-US';
const cache = new Map<string, Intl.NumberFormat>();

/** Whole numbers without Intl: on a slow phone its first use takes a tenth of a page's first paint. */
export const formatCount = (value: number): string =>
  Number.isSafeInteger(value) ? String(value).replace(/\B(?=(\d{3})+$)/g, ',') : number('count', {}).format(value);

/** "1 row", "1,200 rows". */
export const countOf = (value: number, one: string, many = `${one}s`): string =>
  `${formatCount(value)} ${value === 1 ? one : many}`;

export const formatCompact = (value: number): string =>
  number('compact', { notation: 'compact', maximumFractionDigits: 1 }).format(value);

export const formatPercent = (value: number, digits = 2): string =>
  `${number(`percent${digits}`, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value)}%`;

/** Major units, as a number or as a decimal text; `digits` undefined means the currency's own number of decimals. */
export function formatMoney(value: number | string, currency: string, digits = fractionDigits(currency)): string {
  return number(`${currency}/${digits}`, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format((isExact(value) ? value.digits : value) as Intl.StringNumericLiteral);
}

export function formatMinor(money: Money): string {
  return formatMoney(majorText(money), money.currency);
}

/** 105000 EUR is "1050.00": every digit, whatever the size. */
export function majorText({ amount, currency }: Money): string {
  const places = fractionDigits(currency);
  const [, sign = '', units = ''] = /^(-?)(\d+)$/.exec(String(amount)) ?? [];
  const padded = units.padStart(places + 1, '0');
  return places === 0 ? sign + padded : `${sign}${padded.slice(0, -places)}.${padded.slice(-places)}`;
}

/** For charts and estimates: the nearest number. */
export function toMajor(money: Money): number {
  return money.amount / 10 ** fractionDigits(money.currency);
}

/** "12.5" → 1250 for USD; null for anything that is not an exact, positive amount of that currency. */
export function parseMinor(text: string, currency: string): number | null {
  const digits = fractionDigits(currency);
  const match = /^(\d{1,16})(?:\.(\d+))?$/.exec(text.trim().replace(',', '.'));
  if (!match || (match[2]?.length ?? 0) > digits) return null;
  const minor = BigInt(`${match[1]}${(match[2] ?? '').padEnd(digits, '0')}`);
  return minor > 0n && minor <= BigInt(MAX_AMOUNT) ? Number(minor) : null;
}

/** Minor units; the API rejects more. */
export const MAX_AMOUNT = 10 ** 15;

/** The types say number: an answer's numbers that no double holds are more than that. */
const isExact = (value: unknown): value is Exact => value instanceof Exact;

function number(key: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  let format = cache.get(key);
  if (!format) {
    format = new Intl.NumberFormat(LOCALE, options);
    cache.set(key, format);
  }
  return format;
}
