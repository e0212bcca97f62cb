// Where in a statement the thing is that an error speaks of.
import { pieces } from './language';

export interface Fault {
  readonly from: number;
  readonly to: number;
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
}

const NOBODY: ReadonlySet<string> = new Set();
const STATED = /\bline (\d+),? col(?:umn)?:? (\d+)/i;
const NAMED = [
  /^There is no table (\w+(?:\.\w+)*)/,
  /^The function (\w+) is not available here/,
  /^Write the function (\w+)/,
  /^(\w+(?:\.\w+)*) (?:is not available here|cannot be used here|is not a number|takes no arguments)/,
  /\b(?:identifier|expression|column|function|table|setting)s?\b[^`']{0,40}[`'](?:[^`']*\.)?(\w+)[`']/i,
];

/** Null when the message names no place that can be found. */
export function faultOf(message: string, sql: string): Fault | null {
  const stated = STATED.exec(message);
  if (stated) return at(sql, Number(stated[1]), Number(stated[2]));
  for (const pattern of NAMED) {
    const name = pattern.exec(message)?.[1];
    const found = name ? wordIn(sql, name) : null;
    if (found) return spanning(sql, found.index, found.index + found[0].length);
  }
  return null;
}

/** The parser reports the end of the failing token. */
function at(sql: string, line: number, column: number): Fault | null {
  const lines = sql.split('\n');
  const text = lines[line - 1];
  if (text === undefined || column < 1) return null;
  const end = Math.min(column, text.length);
  const start = end - (/\w+$/.exec(text.slice(0, end))?.[0].length ?? 1);
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  return spanning(sql, before + Math.max(0, start), before + end);
}

function spanning(sql: string, from: number, to: number): Fault {
  const before = sql.slice(0, from);
  return { from, to, line: before.split('\n').length, column: from - before.lastIndexOf('\n') };
}

/** Outside of comments and texts. */
function wordIn(sql: string, name: string): RegExpExecArray | null {
  const word = new RegExp(`(?<![\\w.])${name.replaceAll('.', '\\s*\\.\\s*')}(?!\\w)`, 'i');
  const blank = pieces(sql, NOBODY).map(({ text, kind }) =>
    kind === 'comment' || kind === 'text' ? ' '.repeat(text.length) : text,
  );
  return word.exec(blank.join(''));
}
