// What the address of the page says: which query is open, or the text itself, and the values of its parameters.
import { stringifySearch, textOf, type FlatSearch } from '@/lib/url/search';

export interface SqlAddress {
  readonly query: string | null;
  readonly sql: string | null;
  readonly values: Values;
}
export type Values = Readonly<Record<string, string>>;

/** Longer texts are saved first: addresses have limits in mail clients and servers. */
export const MAX_LINKED = 4000;
const VALUE = 'p_';

export const NOTHING: SqlAddress = { query: null, sql: null, values: {} };

export function addressOf(search: FlatSearch): SqlAddress {
  const values = Object.entries(search).flatMap(([name, value]) => {
    const text = Array.isArray(value) ? value[0] : value;
    return name.startsWith(VALUE) && text !== undefined ? [[name.slice(VALUE.length), text] as const] : [];
  });
  return {
    query: textOf(search['query']) ?? null,
    sql: textOf(search['sql'])?.slice(0, MAX_LINKED) ?? null,
    values: Object.fromEntries(values),
  };
}

export const searchOf = ({ query, sql, values }: SqlAddress): FlatSearch => ({
  ...(query ? { query } : {}),
  ...(sql ? { sql } : {}),
  ...Object.fromEntries(Object.entries(values).map(([name, value]) => [VALUE + name, value])),
});

/** The link to a query or a text; null for a text that is too long. */
export function linkTo(address: SqlAddress): string | null {
  if ((address.sql?.length ?? 0) > MAX_LINKED) return null;
  return `${window.location.origin}/sql${stringifySearch(searchOf(address))}`;
}
