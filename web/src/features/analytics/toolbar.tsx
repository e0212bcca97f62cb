import { CalendarRange, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Select, TextField } from '@/components/ui/field';
import { Popover } from '@/components/ui/popover';
import type { Website } from '@/lib/api/types';
import { addDays, formatDay, todayIn } from '@/lib/dates';
import { RANGE_LABELS } from './periods';
import { COMPARISONS, RANGES, type AnalyticsState, type Comparison, type Range } from './search';

interface Props {
  readonly websites: readonly Website[];
  readonly website: Website;
  readonly state: AnalyticsState;
  readonly onChange: (state: AnalyticsState) => void;
  readonly onRefresh: () => void;
  readonly refreshing: boolean;
  readonly customOpen: boolean;
  readonly onCustomOpen: (open: boolean) => void;
}

const COMPARE_OPTIONS: Record<Comparison, string> = { previous: 'vs previous period', year: 'vs year before', none: 'No comparison' };

export function Toolbar({ websites, website, state, onChange, onRefresh, refreshing, customOpen, onCustomOpen }: Props) {
  const pickRange = (range: Range) => {
    if (range === 'custom') onCustomOpen(true);
    else onChange({ ...state, range, from: null, to: null });
  };
  return (
    <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap sm:items-center">
      <Select label="Website" className="col-span-2" value={website.id} onChange={(event) => onChange({ ...state, website: event.target.value, filters: [] })}>
        {websites.map((item) => (
          <option key={item.id} value={item.id}>
            {item.domain}
          </option>
        ))}
      </Select>
      <Select label="Time range" value={state.range} onChange={(event) => pickRange(event.target.value as Range)}>
        {RANGES.map((range) => (
          <option key={range} value={range}>
            {RANGE_LABELS[range]}
          </option>
        ))}
      </Select>
      <Select label="Compare" value={state.compare} onChange={(event) => onChange({ ...state, compare: event.target.value as Comparison })}>
        {COMPARISONS.map((item) => (
          <option key={item} value={item}>
            {COMPARE_OPTIONS[item]}
          </option>
        ))}
      </Select>
      <Popover
        label="Custom range"
        open={customOpen}
        onOpenChange={onCustomOpen}
        trigger={
          <Button aria-label="Choose dates">
            <CalendarRange aria-hidden className="size-4" />
            <span>{state.range === 'custom' && state.from && state.to ? `${formatDay(state.from)} – ${formatDay(state.to)}` : 'Dates'}</span>
          </Button>
        }
      >
        <CustomRange
          key={`${state.from ?? ''}${state.to ?? ''}${customOpen}`}
          state={state}
          timezone={website.timezone}
          onApply={(from, to) => {
            onCustomOpen(false);
            onChange({ ...state, range: 'custom', from, to });
          }}
        />
      </Popover>
      <Button variant="primary" onClick={onRefresh} disabled={refreshing}>
        <RefreshCw aria-hidden className={refreshing ? 'size-4 animate-spin' : 'size-4'} />
        Refresh
      </Button>
    </div>
  );
}

interface CustomProps {
  readonly state: AnalyticsState;
  readonly timezone: string;
  readonly onApply: (from: string, to: string) => void;
}

function CustomRange({ state, timezone, onApply }: CustomProps) {
  const today = todayIn(timezone);
  const [from, setFrom] = useState(state.from ?? addDays(today, -13));
  const [to, setTo] = useState(state.to ?? today);
  const error = from && to && from > to ? 'The first day is after the last day.' : undefined;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (from && to && !error) onApply(from, to);
      }}
    >
      <div className="grid grid-cols-2 gap-3">
        <TextField type="date" label="From" required max={today} value={from} onChange={(event) => setFrom(event.target.value)} />
        <TextField type="date" label="To" required max={today} value={to} onChange={(event) => setTo(event.target.value)} />
      </div>
      {error && <p role="alert" className="text-[0.8125rem] text-bad">{error}</p>}
      <p className="text-[0.8125rem] text-muted">Whole days in {timezone}, both included.</p>
      <Button type="submit" variant="primary" disabled={!from || !to || error !== undefined}>
        Apply
      </Button>
    </form>
  );
}
