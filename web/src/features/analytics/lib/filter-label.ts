import { dimensionName, NOT_SET, valueName, type Named } from './dimensions';
import type { Filter, Operator } from './search';
import { NONE, shown } from './values';

export const OPERATOR_NAMES: Readonly<Record<Operator, string>> = {
  is: 'is',
  is_not: 'is not',
  contains: 'contains',
  not_contains: 'does not contain',
  matches: 'matches',
};

/** The values of a filter as people read them: "Iceland or Germany". */
export const filterValues = ({ dimension, operator, values }: Filter, named: Named): string =>
  values
    .map((value) => {
      if (value === NONE) return NOT_SET;
      return operator === 'is' || operator === 'is_not' ? valueName(dimension, shown(value), named) : shown(value);
    })
    .join(' or ');

export const filterLabel = (filter: Filter, named: Named): string =>
  `${dimensionName(filter.dimension)} ${OPERATOR_NAMES[filter.operator]} ${filterValues(filter, named)}`;
