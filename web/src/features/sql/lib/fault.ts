// Where in a statement the thing is that an error speaks of: messages begin with line and column.
export interface Fault {
  readonly from: number;
  readonly to: number;
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
}

const PLACE = /^Line (\d+), column (\d+): /;

/** Null when the message names no place in the text. */
export function faultOf(message: string, sql: string): Fault | null {
  const [, line, column] = (PLACE.exec(message) ?? []).map(Number);
  if (!line || !column) return null;
  const lines = sql.split('\n');
  const text = lines[line - 1];
  if (text === undefined || column > text.length) return null;
  const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
  const named = /^\w+(?:\s*\.\s*\w+)*/.exec(sql.slice(from))?.[0].length ?? 1;
  return { from, to: from + named, line, column };
}
