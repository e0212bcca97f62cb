// What the editor knows of SQL: how to colour it, and what could be written next.
import type { SqlTable } from '../api/queries';

export interface Piece {
  readonly text: string;
  readonly kind: 'plain' | 'keyword' | 'function' | 'text' | 'number' | 'comment' | 'table';
}

export interface Suggestion {
  readonly text: string;
  readonly kind: 'table' | 'column' | 'function' | 'keyword';
  readonly detail: string;
}

export interface Completion {
  /** Where the word that is being written starts. */
  readonly from: number;
  readonly suggestions: readonly Suggestion[];
}

const KEYWORDS = [
  'SELECT',
  'FROM',
  'WHERE',
  'GROUP BY',
  'ORDER BY',
  'HAVING',
  'LIMIT',
  'LIMIT 100',
  'JOIN',
  'LEFT JOIN',
  'ON',
  'USING',
  'AS',
  'AND',
  'OR',
  'NOT',
  'IN',
  'BETWEEN',
  'LIKE',
  'IS NULL',
  'CASE',
  'WHEN',
  'THEN',
  'ELSE',
  'END',
  'DISTINCT',
  'UNION ALL',
  'WITH',
  'DESC',
  'ASC',
  'INTERVAL',
  'DAY',
  'HOUR',
  'ARRAY JOIN',
  'OVER',
  'PARTITION BY',
  'QUALIFY',
  'OFFSET',
  'NULL',
  'TRUE',
  'FALSE',
];
const KEYWORD_SET = new Set(KEYWORDS.flatMap((keyword) => keyword.split(' ')).filter((word) => /^[A-Z]+$/.test(word)));
const TOKEN =
  /(--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|('(?:[^'\\]|\\[\s\S]|'')*(?:'|$))|(\b\d[\w.]*)|([A-Za-z_]\w*)|([\s\S])/g;
const MAX_SUGGESTIONS = 40;

/** A name is a piece of its own: the pieces stay the same when the tables become known. */
export function pieces(sql: string, tables: ReadonlySet<string>): Piece[] {
  const found: Piece[] = [];
  let afterName = false;
  const add = (text: string, kind: Piece['kind'], isName = false) => {
    const last = found.at(-1);
    if (last?.kind === kind && !isName && !afterName) found[found.length - 1] = { text: last.text + text, kind };
    else found.push({ text, kind });
    afterName = isName;
  };
  for (const match of sql.matchAll(TOKEN)) {
    const [whole, comment, text, number, word] = match;
    if (comment) add(whole, 'comment');
    else if (text) add(whole, 'text');
    else if (number) add(whole, 'number');
    else if (word && KEYWORD_SET.has(word.toUpperCase())) add(whole, 'keyword');
    else if (word && sql[match.index + word.length] === '(') add(whole, 'function');
    else if (word) add(whole, tables.has(word) ? 'table' : 'plain', true);
    else add(whole, 'plain');
  }
  return found;
}

/** Suggestions at `caret`; none inside strings and comments. `asked`: also before the first letter. */
export function complete(
  sql: string,
  caret: number,
  tables: readonly SqlTable[],
  functions: readonly string[],
  asked = false,
): Completion | null {
  const before = sql.slice(0, caret);
  if (isQuoted(before)) return null;
  const word = /[A-Za-z_]\w*$/.exec(before)?.[0] ?? '';
  const from = caret - word.length;
  const ahead = before.slice(0, from);
  const owner = /([A-Za-z_]\w*)\.$/.exec(ahead)?.[1];
  if (!word && !owner && !asked) return null;
  const all = owner
    ? columnsOf(owner, sql, tables)
    : /\b(?:from|join)\s+$/i.test(ahead)
      ? tables.map(asTable)
      : everything(sql, tables, functions);
  const suggestions = ranked(all, word).slice(0, MAX_SUGGESTIONS);
  const settled = suggestions.length === 1 && suggestions[0]?.text === word;
  return suggestions.length === 0 || settled ? null : { from, suggestions };
}

function isQuoted(before: string): boolean {
  for (const match of before.matchAll(TOKEN)) {
    const ends = match.index + match[0].length === before.length;
    if (ends && match[1]) return !(match[1].startsWith('/*') && match[1].endsWith('*/') && match[1].length > 3);
    if (ends && match[2]) return match[2].length === 1 || !match[2].endsWith("'");
  }
  return false;
}

function ranked(all: readonly Suggestion[], word: string): Suggestion[] {
  const wanted = word.toLowerCase();
  const rank = (text: string): number => {
    const at = text.toLowerCase().indexOf(wanted);
    return at < 0 ? -1 : at === 0 ? 0 : text[at - 1] === '_' ? 1 : 2;
  };
  return all
    .map((item, order) => ({ item, order, rank: rank(item.text) }))
    .filter((entry) => entry.rank >= 0 && (entry.rank < 2 || wanted.length > 2))
    .sort((a, b) => a.rank - b.rank || a.order - b.order)
    .map((entry) => entry.item);
}

const asTable = (table: SqlTable): Suggestion => ({ text: table.name, kind: 'table', detail: table.comment });

function columns(table: SqlTable): Suggestion[] {
  return table.columns.map((column) => ({ text: column.name, kind: 'column', detail: column.type }));
}

function columnsOf(owner: string, sql: string, tables: readonly SqlTable[]): Suggestion[] {
  const named = new RegExp(`\\b(?:from|join)\\s+(\\w+)\\s+(?:as\\s+)?${owner}\\b`, 'i').exec(sql)?.[1] ?? owner;
  const table = tables.find((one) => one.name === named);
  if (table) return columns(table);
  return owner === 'althing' ? tables.map(asTable) : [];
}

function everything(sql: string, tables: readonly SqlTable[], functions: readonly string[]): Suggestion[] {
  const used = [...sql.matchAll(/\b(?:from|join)\s+(\w+)/gi)].map((match) => match[1]);
  const seen = new Set<string>();
  const near = tables.filter((table) => used.includes(table.name)).flatMap(columns);
  return [
    ...near.filter((one) => !seen.has(one.text) && seen.add(one.text)),
    ...tables.map(asTable),
    ...KEYWORDS.map((text): Suggestion => ({ text, kind: 'keyword', detail: '' })),
    ...functions.map((text): Suggestion => ({ text, kind: 'function', detail: 'function' })),
  ];
}
