import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { CountriesField } from '@/components/ui/countries-field';
import { SelectField, TextField } from '@/components/ui/field';
import { focusOnMount } from '@/components/ui/focus';
import { REASONS } from '@/lib/traffic-reasons';
import { dimensionName } from '../lib/dimensions';
import { DIMENSIONS, type Dimension, type Filter } from '../lib/search';
import { typed } from '../lib/values';

const DEVICES = ['desktop', 'mobile', 'tablet'];

interface Props {
  readonly partners: readonly { readonly id: string; readonly name: string }[];
  readonly links: readonly { readonly id: string; readonly slug: string }[];
  readonly onAdd: (filter: Filter) => void;
}

export function FilterForm({ partners, links, onAdd }: Props) {
  const [dimension, setDimension] = useState<Dimension>('partner');
  const [not, setNot] = useState(false);
  const [value, setValue] = useState('');
  const [countries, setCountries] = useState<readonly string[]>([]);
  const choices = choicesOf(dimension, partners, links);
  const values = dimension === 'country' ? countries : choices ? [value].filter(Boolean) : typed(value);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (values.length > 0) onAdd({ dimension, not, values });
      }}
    >
      <div className="grid grid-cols-[1fr_auto] gap-3">
        <SelectField
          label="Field"
          ref={focusOnMount}
          value={dimension}
          onChange={(event) => {
            setDimension(event.target.value as Dimension);
            setValue('');
          }}
        >
          {DIMENSIONS.map((item) => (
            <option key={item} value={item}>
              {dimensionName(item)}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Operator"
          value={not ? 'not' : 'is'}
          onChange={(event) => setNot(event.target.value === 'not')}
        >
          <option value="is">is</option>
          <option value="not">is not</option>
        </SelectField>
      </div>
      {dimension === 'country' ? (
        <CountriesField label="Countries" values={countries} onChange={setCountries} withUnknown />
      ) : choices ? (
        <SelectField label="Value" required value={value} onChange={(event) => setValue(event.target.value)}>
          <option value="">Choose…</option>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </SelectField>
      ) : (
        <TextField
          label="Value"
          required
          value={value}
          onChange={(event) => setValue(event.target.value)}
          hint="Separate several values with commas. Write \\, for a comma in a value and (none) for no value."
        />
      )}
      <Button type="submit" variant="primary" disabled={values.length === 0}>
        Apply filter
      </Button>
    </form>
  );
}

function choicesOf(dimension: Dimension, partners: Props['partners'], links: Props['links']) {
  if (dimension === 'partner') return partners.map((item) => ({ value: item.id, label: item.name }));
  if (dimension === 'link') return links.map((item) => ({ value: item.id, label: item.slug }));
  if (dimension === 'reason') return Object.entries(REASONS).map(([value, label]) => ({ value, label }));
  return dimension === 'device' ? DEVICES.map((item) => ({ value: item, label: item })) : null;
}
