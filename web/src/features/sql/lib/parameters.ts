// The parameters of a statement, `{name:Type}`, and how a person enters a value of each.
import { pieces } from './language';
import type { Values } from './address';

export interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly kind: 'website' | 'date' | 'time' | 'number' | 'truth' | 'text';
}

const NOBODY: ReadonlySet<string> = new Set();
const DECLARED = /\{\s*([A-Za-z_]\w*)\s*:([^{}]{1,200})\}/g;

/** Each once, in the order of the text; those in literals and comments are none. */
export function parametersOf(sql: string): Parameter[] {
  const code = pieces(sql, NOBODY)
    .map(({ text, kind }) => (kind === 'comment' || kind === 'text' ? ' '.repeat(text.length) : text))
    .join('');
  const found = new Map<string, Parameter>();
  for (const [, name = '', declared = ''] of code.matchAll(DECLARED)) {
    const type = declared.trim();
    if (!found.has(name)) found.set(name, { name, type, kind: kindOf(name, type) });
  }
  return [...found.values()];
}

/** The values that the statement needs, and no others. */
export const valuesFor = (sql: string, values: Values): Record<string, string> =>
  Object.fromEntries(
    parametersOf(sql).flatMap(({ name }) => (values[name] === undefined ? [] : [[name, values[name]] as const])),
  );

function kindOf(name: string, type: string): Parameter['kind'] {
  const plain = type.replace(/^(?:(?:Nullable|LowCardinality)\()+/i, '');
  if (/^UUID/i.test(plain)) return /web_?site|^site/i.test(name) ? 'website' : 'text';
  if (/^DateTime/i.test(plain)) return 'time';
  if (/^Date/i.test(plain)) return 'date';
  if (/^(?:U?Int|Float|Decimal)/i.test(plain)) return 'number';
  return /^Bool/i.test(plain) ? 'truth' : 'text';
}
