import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId, useState } from 'react';
import { LocalForm } from '@/components/form/local-form';
import { Button } from '@/components/ui/button';
import { CountriesField } from '@/components/ui/countries-field';
import { SelectField, TextField } from '@/components/ui/field';
import { focusOnMount } from '@/components/ui/focus';
import { REASONS } from '@/lib/labels/traffic-reasons';
import { breakdownQuery } from '../api/breakdown';
import type { AnalyticsParams } from '../api/analytics';
import { dimensionName, NOT_SET, valueName, type Named } from '../lib/dimensions';
import { OPERATOR_NAMES } from '../lib/filter-label';
import { operatorsOf, type Dimension, type Filter, type Operator, DIMENSIONS, SUBS } from '../lib/search';
import { named as nameOfValue, typed } from '../lib/values';

interface Props {
  /** Of the page without its filters: values are suggested from its range. */
  readonly params: AnalyticsParams;
  readonly named: Named;
  readonly onAdd: (filter: Filter) => void;
}

const FOLDED: readonly Dimension[] = SUBS;
const COMMON = DIMENSIONS.filter((dimension) => !FOLDED.includes(dimension));
const SUGGESTED = 20;

export function FilterForm({ params, named, onAdd }: Props) {
  const [dimension, setDimension] = useState<Dimension>('page');
  const [operator, setOperator] = useState<Operator>('is');
  const [values, setValues] = useState<readonly string[]>([]);
  const [text, setText] = useState('');
  const exact = operator === 'is' || operator === 'is_not';
  const wanted = dimension === 'country' && exact ? values : [...values, ...(exact ? typed(text) : pattern(text))];
  const begin = (next: Dimension) => {
    setDimension(next);
    if (!operatorsOf(next).includes(operator)) setOperator('is');
    setValues([]);
    setText('');
  };
  return (
    <LocalForm
      className="flex flex-col gap-3"
      onSubmit={() => wanted.length > 0 && onAdd({ dimension, operator, values: [...new Set(wanted)] })}
    >
      <div className="grid grid-cols-2 gap-3">
        <SelectField
          label="Field"
          ref={focusOnMount}
          value={dimension}
          onChange={(event) => begin(event.target.value as Dimension)}
        >
          {COMMON.map((item) => (
            <option key={item} value={item}>
              {dimensionName(item)}
            </option>
          ))}
          <optgroup label="Sub-IDs">
            {SUBS.map((item) => (
              <option key={item} value={item}>
                {dimensionName(item)}
              </option>
            ))}
          </optgroup>
        </SelectField>
        <SelectField
          label="Operator"
          value={operator}
          onChange={(event) => {
            setOperator(event.target.value as Operator);
            setValues([]);
          }}
        >
          {operatorsOf(dimension).map((item) => (
            <option key={item} value={item}>
              {OPERATOR_NAMES[item]}
            </option>
          ))}
        </SelectField>
      </div>
      {dimension === 'country' ? (
        <CountriesField label="Countries" values={values} onChange={setValues} withUnknown />
      ) : dimension === 'reason' ? (
        <SelectField
          label="Value"
          required
          value={values[0] ?? ''}
          onChange={(event) => setValues(event.target.value === '' ? [] : [event.target.value])}
        >
          <option value="">Choose…</option>
          {Object.entries(REASONS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
      ) : (
        <ValuesField
          params={params}
          dimension={dimension}
          operator={operator}
          named={named}
          values={values}
          text={text}
          onValues={setValues}
          onText={setText}
        />
      )}
      <Button type="submit" variant="primary" className="max-sm:h-11" disabled={wanted.length === 0}>
        Apply filter
      </Button>
    </LocalForm>
  );
}

/** A part of a value, or a pattern, is one text: no comma separates it. */
const pattern = (text: string): readonly string[] => (text.trim() === '' ? [] : [nameOfValue(text.trim())]);

interface ValuesProps {
  readonly params: AnalyticsParams;
  readonly dimension: Dimension;
  readonly operator: Operator;
  readonly named: Named;
  readonly values: readonly string[];
  readonly text: string;
  readonly onValues: (values: readonly string[]) => void;
  readonly onText: (text: string) => void;
}

const HINTS: Readonly<Record<Operator, string>> = {
  is: 'Separate several values with commas, or choose below.',
  is_not: 'Separate several values with commas, or choose below.',
  contains: 'Any part of the value.',
  not_contains: 'Any part of the value.',
  matches: 'The whole value; * stands for any text, as in /reviews/*.',
};

/** A value to type, and the values of the range to choose from. */
function ValuesField({ params, dimension, operator, named, values, text, onValues, onText }: ValuesProps) {
  const id = useId();
  const isId = dimension === 'partner' || dimension === 'link';
  const exact = operator === 'is' || operator === 'is_not';
  const search = useDeferredValue(text.split(',').at(-1)?.trim() ?? '');
  const query = useQuery({
    ...breakdownQuery({
      ...params,
      by: dimension,
      compare: 'none',
      sort: '-visitors',
      limit: SUGGESTED,
      ...(search ? { search } : {}),
    }),
    enabled: exact,
  });
  const rows = query.data?.data.rows ?? [];
  const toggle = (value: string) => {
    const name = nameOfValue(value);
    onValues(values.includes(name) ? values.filter((item) => item !== name) : [...values, name]);
  };
  return (
    <div>
      <TextField
        label={isId ? 'Search' : 'Value'}
        autoComplete="off"
        value={text}
        onChange={(event) => onText(event.target.value)}
        hint={isId ? undefined : HINTS[operator]}
      />
      {exact && (
        <div
          role="group"
          aria-label="Suggestions"
          aria-busy={query.isFetching}
          className="mt-2 h-40 overflow-y-auto rounded-lg border border-line"
        >
          {rows.map((row) => {
            const value = row.values[dimension] ?? '';
            const name = valueName(dimension, value, named, row.label);
            return (
              <label
                key={value}
                htmlFor={`${id}${value}`}
                className="flex min-h-8 items-center gap-2.5 px-2.5 hover:bg-sunken max-sm:min-h-10"
              >
                <input
                  id={`${id}${value}`}
                  type="checkbox"
                  className="size-4 shrink-0 accent-brand"
                  checked={values.includes(nameOfValue(value))}
                  onChange={() => toggle(value)}
                />
                <span className="min-w-0 truncate">{value === '' ? NOT_SET : name}</span>
              </label>
            );
          })}
          {rows.length === 0 && (
            <p className="p-2.5 text-[0.8125rem] text-muted">
              {query.error
                ? 'Suggestions are unavailable. Type a value.'
                : query.data
                  ? 'No such value in this period.'
                  : 'Loading…'}
            </p>
          )}
        </div>
      )}
    </div>
  );
}
