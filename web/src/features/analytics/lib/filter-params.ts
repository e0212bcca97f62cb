// How filters travel to the API: by a parameter of their own where they have one (`country=DE`), else as `filter=`.
// The source goes as `filter=`: that is the source of the visit, as in the card of sources.
import { DIMENSIONS, OPERATORS, SUBS, type Filter } from './search';
import { NONE, named, shown } from './values';

const WITH_PARAMETER: readonly string[] = ['partner', 'country', 'device', 'link', 'reason', ...SUBS];

export const isSimple = ({ dimension, operator }: Filter): boolean =>
  (operator === 'is' || operator === 'is_not') && WITH_PARAMETER.includes(dimension);

export const simpleParam = ({ operator, values }: Filter): string =>
  values.map((value) => (operator === 'is_not' ? `-${value}` : value)).join(',');

/** `page:is:/a|/b`; inside a value a backslash takes `|`, `:` and itself as they are. */
export const filterText = ({ dimension, operator, values }: Filter): string =>
  `${dimension}:${operator}:${values.map((value) => plain(value).replace(/[\\|:]/g, '\\$&')).join('|')}`;

const plain = (name: string): string => (name === NONE ? '' : shown(name));

/** The filter that a text means; null for one of a dimension or operator that the page does not know. */
export function readFilterText(text: string): Filter | null {
  const [, name, wanted, listed = ''] = /^([^:]*):([a-z_]*):([^]*)$/.exec(text) ?? [];
  const dimension = DIMENSIONS.find((item) => item === name);
  const operator = OPERATORS.find((item) => item === wanted);
  return dimension && operator ? { dimension, operator, values: splitValues(listed).map(named) } : null;
}

function splitValues(text: string): readonly string[] {
  const values = [''];
  for (const [sign] of text.matchAll(/\\[\\|:]|[^]/g)) {
    if (sign === '|') values.push('');
    else values.push((values.pop() ?? '') + (sign.length > 1 ? sign.slice(1) : sign));
  }
  return values;
}
