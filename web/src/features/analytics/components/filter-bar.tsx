import { ListFilter, X } from 'lucide-react';
import { lazy, useState, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import { LatePopover } from '@/components/ui/late-popover';
import type { AnalyticsParams } from '../api/analytics';
import { dimensionName, type Named } from '../lib/dimensions';
import { filterValues, OPERATOR_NAMES } from '../lib/filter-label';
import { withFilter, withoutFilter, type AnalyticsState, type Bots } from '../lib/search';

const FilterForm = lazy(() => import('./filter-form').then((module) => ({ default: module.FilterForm })));

interface Props {
  readonly state: AnalyticsState;
  readonly onChange: (state: AnalyticsState) => void;
  readonly params: AnalyticsParams;
  readonly named: Named;
  /** Stands before the filters. */
  readonly children?: ReactNode;
}

const BOT_OPTIONS: Record<Bots, string> = { exclude: 'Exclude bots', include: 'Include bots', only: 'Bots only' };

export function FilterBar({ state, onChange, params, named, children }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <div role="group" aria-label="Filters" className="flex items-center gap-2 max-sm:overflow-x-auto sm:flex-wrap">
      {children}
      {state.filters.map((filter) => {
        const name = dimensionName(filter.dimension);
        const text = filterValues(filter, named);
        return (
          <span
            key={filter.dimension}
            className="inline-flex h-8 max-w-full items-center gap-1 rounded-lg border border-brand/30 bg-brand-soft pr-1 pl-3 text-[0.8125rem]"
          >
            <span className="truncate">
              {name} {OPERATOR_NAMES[filter.operator]} <strong className="font-semibold">{text}</strong>
            </span>
            <button
              type="button"
              aria-label={`Remove filter ${name} ${text}`}
              className="grid size-6 shrink-0 place-items-center rounded-md hover:bg-surface"
              onClick={() => onChange(withoutFilter(state, filter.dimension))}
            >
              <X aria-hidden className="size-3.5" />
            </button>
          </span>
        );
      })}
      <LatePopover
        label="Add filter"
        align="start"
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
          params={params}
          named={named}
          onAdd={(filter) => {
            setOpen(false);
            onChange(withFilter(state, filter));
          }}
        />
      </LatePopover>
      <Select
        label="Bots"
        className="h-8 text-[0.8125rem]"
        value={state.bots}
        onChange={(event) => onChange({ ...state, bots: event.target.value as Bots })}
      >
        {Object.entries(BOT_OPTIONS).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      {state.filters[0] && (
        <Button size="sm" variant="ghost" onClick={() => onChange({ ...state, filters: [] })}>
          Clear filters
        </Button>
      )}
    </div>
  );
}
