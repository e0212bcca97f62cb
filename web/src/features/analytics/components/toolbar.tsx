import { CalendarRange, RefreshCw } from 'lucide-react';
import { lazy } from 'react';
import { Button } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import { LatePopover } from '@/components/ui/late-popover';
import type { Website } from '@/lib/api/types';
import { formatDay } from '@/lib/dates';
import { RANGE_LABELS } from '../lib/periods';
import { COMPARISONS, RANGES, type AnalyticsState, type Comparison, type Range } from '../lib/search';

const CustomRange = lazy(() => import('./custom-range').then((module) => ({ default: module.CustomRange })));

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

const COMPARE_OPTIONS: Record<Comparison, string> = {
  previous: 'vs previous period',
  year: 'vs year before',
  none: 'No comparison',
};

export function Toolbar({
  websites,
  website,
  state,
  onChange,
  onRefresh,
  refreshing,
  customOpen,
  onCustomOpen,
}: Props) {
  const pickRange = (range: Range) => {
    if (range === 'custom') onCustomOpen(true);
    else onChange({ ...state, range, from: null, to: null });
  };
  return (
    <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap sm:items-center">
      <Select
        label="Website"
        className="col-span-2"
        value={website.id}
        onChange={(event) => onChange({ ...state, website: event.target.value, filters: [] })}
      >
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
      <Select
        label="Compare"
        value={state.compare}
        onChange={(event) => onChange({ ...state, compare: event.target.value as Comparison })}
      >
        {COMPARISONS.map((item) => (
          <option key={item} value={item}>
            {COMPARE_OPTIONS[item]}
          </option>
        ))}
      </Select>
      <LatePopover
        label="Custom range"
        open={customOpen}
        onOpenChange={onCustomOpen}
        trigger={
          <Button aria-label="Choose dates">
            <CalendarRange aria-hidden className="size-4" />
            <span>
              {state.range === 'custom' && state.from && state.to
                ? `${formatDay(state.from)} – ${formatDay(state.to)}`
                : 'Dates'}
            </span>
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
      </LatePopover>
      <Button variant="primary" onClick={onRefresh} disabled={refreshing}>
        <RefreshCw aria-hidden className={refreshing ? 'size-4 animate-spin' : 'size-4'} />
        Refresh
      </Button>
    </div>
  );
}
