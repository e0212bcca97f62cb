import { ListFilter, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { SelectField, TextField } from '@/components/ui/field';
import { Popover } from '@/components/ui/popover';
import { Select } from '@/components/ui/field';
import { countryName } from './countries';
import { DIMENSIONS, withFilter, withoutFilter, type AnalyticsState, type Bots, type Dimension, type Filter } from './search';

interface Props {
  readonly state: AnalyticsState;
  readonly onChange: (state: AnalyticsState) => void;
  readonly partners: readonly { readonly id: string; readonly name: string }[];
  readonly links: readonly { readonly id: string; readonly slug: string }[];
}

const NAMES: Partial<Record<Dimension, string>> = { partner: 'Partner', country: 'Country', device: 'Device', source: 'Source', link: 'Link' };
const DEVICES = ['desktop', 'mobile', 'tablet'];
const BOT_OPTIONS: Record<Bots, string> = { exclude: 'Without bots', include: 'With bots', only: 'Only bots' };

export const dimensionName = (dimension: Dimension): string => NAMES[dimension] ?? dimension.replace('sub', 'Sub-ID ');

export function FilterBar({ state, onChange, partners, links }: Props) {
  const [open, setOpen] = useState(false);
  const nameOf = (dimension: Dimension, value: string): string => {
    if (dimension === 'partner') return partners.find((item) => item.id === value)?.name ?? value;
    if (dimension === 'link') return links.find((item) => item.id === value)?.slug ?? value;
    return dimension === 'country' ? countryName(value) : value;
  };
  return (
    <div role="group" aria-label="Filters" className="flex flex-wrap items-center gap-2">
      {state.filters.map((filter) => {
        const text = filter.values.map((value) => nameOf(filter.dimension, value)).join(' or ');
        return (
          <span key={filter.dimension} className="inline-flex h-8 max-w-full items-center gap-1 rounded-lg border border-brand/30 bg-brand-soft pr-1 pl-3 text-[0.8125rem]">
            <span className="truncate">
              {dimensionName(filter.dimension)} {filter.not ? 'is not' : 'is'} <strong className="font-semibold">{text}</strong>
            </span>
            <button
              type="button"
              aria-label={`Remove filter ${dimensionName(filter.dimension)} ${text}`}
              className="grid size-6 shrink-0 place-items-center rounded-md hover:bg-surface"
              onClick={() => onChange(withoutFilter(state, filter.dimension))}
            >
              <X aria-hidden className="size-3.5" />
            </button>
          </span>
        );
      })}
      <Popover
        label="Add filter"
        open={open}
        onOpenChange={setOpen}
        trigger={
          <Button size="sm" variant="outline">
            <ListFilter aria-hidden className="size-3.5" />
            Add filter
          </Button>
        }
      >
        <FilterForm
          partners={partners}
          links={links}
          onAdd={(filter) => {
            setOpen(false);
            onChange(withFilter(state, filter));
          }}
        />
      </Popover>
      <Select label="Bots" className="h-8 text-[0.8125rem]" value={state.bots} onChange={(event) => onChange({ ...state, bots: event.target.value as Bots })}>
        {Object.entries(BOT_OPTIONS).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      {state.filters.length > 0 && (
        <Button size="sm" variant="ghost" onClick={() => onChange({ ...state, filters: [] })}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

interface FormProps extends Pick<Props, 'partners' | 'links'> {
  readonly onAdd: (filter: Filter) => void;
}

function FilterForm({ partners, links, onAdd }: FormProps) {
  const [dimension, setDimension] = useState<Dimension>('partner');
  const [not, setNot] = useState(false);
  const [value, setValue] = useState('');
  const choices = choicesOf(dimension, partners, links);
  const values = choices ? [value].filter(Boolean) : value.split(',').map((item) => item.trim()).filter(Boolean);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (values.length > 0) onAdd({ dimension, not, values: dimension === 'country' ? values.map((item) => item.toUpperCase()) : values });
      }}
    >
      <div className="grid grid-cols-[1fr_auto] gap-3">
        <SelectField label="What" value={dimension} onChange={(event) => { setDimension(event.target.value as Dimension); setValue(''); }}>
          {DIMENSIONS.map((item) => (
            <option key={item} value={item}>
              {dimensionName(item)}
            </option>
          ))}
        </SelectField>
        <SelectField label="How" value={not ? 'not' : 'is'} onChange={(event) => setNot(event.target.value === 'not')}>
          <option value="is">is</option>
          <option value="not">is not</option>
        </SelectField>
      </div>
      {choices ? (
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
          label="Value" required value={value} onChange={(event) => setValue(event.target.value)}
          hint={dimension === 'country' ? 'Two-letter codes; a comma means any of them.' : 'A comma means any of them.'}
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
  return dimension === 'device' ? DEVICES.map((item) => ({ value: item, label: item })) : null;
}
