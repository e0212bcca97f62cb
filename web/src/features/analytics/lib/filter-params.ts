// How filters travel to the API: by a parameter of their own where they have one (`country=DE`), else as `filter=`.
// The source goes as `filter=`: that is the source of the visit, as in the card of sources.
import { SUBS, type Filter } from './search';
import { NONE, shown } from './values';

const WITH_PARAMETER: readonly string[] = ['partner', 'country', 'device', 'link', 'reason', ...SUBS];

export const isSimple = ({ dimension, operator }: Filter): boolean =>
  (operator === 'is' || operator === 'is_not') && WITH_PARAMETER.includes(dimension);

export const simpleParam = ({ operator, values }: Filter): string =>
  values.map((value) => (operator === 'is_not' ? `-${value}` : value)).join(',');

/** `page:is:/a|/b`; inside a value a backslash takes `|`, `:` and itself as they are. */
export const filterText = ({ dimension, operator, values }: Filter): string =>
  `${dimension}:${operator}:${values.map((value) => plain(value).replace(/[\\|:]/g, '\\$&')).join('|')}`;

const plain = (name: string): string => (name === NONE ? '' : shown(name));
