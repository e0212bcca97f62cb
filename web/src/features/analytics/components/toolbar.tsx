import { CalendarRange, RefreshCw } from 'lucide-react';
import { lazy } from 'react';
import { Button } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import { LatePopover } from '@/components/ui/late-popover';
import type { Website } from '@/lib/api/types';
import { formatDay } from '@/lib/dates';
import { RANGE_GROUPS, RANGE_LABELS, type Days, type Range } from '../lib/ranges';
import type { AnalyticsState } from '../lib/search';
import type { ShownRange } from '../lib/periods';
import { COMPARE_OPTIONS, compareOption, withComparison } from '../lib/comparison';

const CustomRange = lazy(() => import('./custom-range').then((module) => ({ default: module.CustomRange })));

/** What the calendar chooses when it is open. */
export type CalendarFor = 'range' | 'comparison';

interface Props {
  readonly websites: readonly Website[];
  readonly website: Website;
  readonly state: AnalyticsState;
  /** The range that is shown, once it is known. */
  readonly shown: ShownRange | undefined;
  readonly onChange: (state: AnalyticsState) => void;
  readonly onRefresh: () => void;
  readonly refreshing: boolean;
  readonly calendar: CalendarFor | null;
  readonly onCalendar: (calendar: CalendarFor | null) => void;
}

/** One line from 640 px up, whatever is chosen: the selects get narrower first. */
export function Toolbar({
  websites,
  website,
  state,
  shown,
  onChange,
  onRefresh,
  refreshing,
  calendar,
  onCalendar,
}: Props) {
  const pickRange = (range: Range) => {
    if (range === 'custom') onCalendar('range');
    else onChange({ ...state, range, from: null, to: null });
  };
  const pickComparison = (option: string) => {
    const next = withComparison(state, option);
    if (next) onChange(next);
    else onCalendar('comparison');
  };
  const apply = (from: string, to: string) => {
    onCalendar(null);
    if (calendar === 'comparison') onChange({ ...state, compare: 'custom', compareFrom: from, compareTo: to });
    else onChange({ ...state, range: 'custom', from, to });
  };
  const chosen = calendar === 'comparison' ? daysOf(state.compareFrom, state.compareTo) : daysOf(state.from, state.to);
  const days = dates(daysOf(state.from, state.to) ?? daysOf(shown?.from, shown?.to)) ?? 'Dates';
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] gap-2 sm:flex sm:items-center xl:flex-[1_1_40rem]">
      <Select
        label="Website"
        className="col-span-2 min-w-0 sm:flex-[2_1_8rem] sm:max-w-60"
        value={website.id}
        onChange={(event) => onChange({ ...state, website: event.target.value, filters: [], view: null })}
      >
        {websites.map((item) => (
          <option key={item.id} value={item.id}>
            {item.domain}
          </option>
        ))}
      </Select>
      <Button
        className="sm:order-last sm:ml-auto max-2xl:size-9 max-2xl:px-0"
        aria-label="Refresh"
        onClick={onRefresh}
        disabled={refreshing}
      >
        <RefreshCw aria-hidden className={refreshing ? 'size-4 animate-spin' : 'size-4'} />
        <span className="max-2xl:hidden">Refresh</span>
      </Button>
      <Select
        label="Time range"
        className="min-w-0 sm:flex-[1_1_8rem] sm:max-w-44"
        value={state.range}
        onChange={(event) => pickRange(event.target.value as Range)}
      >
        {RANGE_GROUPS.map((group) => (
          <optgroup key={group.label} label={group.label}>
            {group.ranges.map((range) => (
              <option key={range} value={range}>
                {RANGE_LABELS[range]}
              </option>
            ))}
          </optgroup>
        ))}
        <optgroup label="Calendar">
          <option value="custom">{RANGE_LABELS.custom}</option>
        </optgroup>
      </Select>
      <Select
        label="Compare"
        className="min-w-0 sm:flex-[1_1_8rem] sm:max-w-52"
        value={compareOption(state)}
        onChange={(event) => pickComparison(event.target.value)}
      >
        {COMPARE_OPTIONS.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
        {state.compare === 'custom' && (
          <option value="custom">vs {dates(daysOf(state.compareFrom, state.compareTo))}</option>
        )}
        <option value="pick">{state.compare === 'custom' ? 'Other period…' : 'Custom period…'}</option>
      </Select>
      <LatePopover
        wide
        label={calendar === 'comparison' ? 'Comparison period' : 'Custom range'}
        open={calendar !== null}
        onOpenChange={(open) => onCalendar(open ? 'range' : null)}
        trigger={
          <Button aria-label={`Choose dates: ${days}`} className="max-sm:size-9 max-sm:px-0">
            <CalendarRange aria-hidden className="size-4 shrink-0" />
            <span className="tabular max-sm:hidden">{days}</span>
          </Button>
        }
      >
        <CustomRange
          key={`${calendar}${chosen?.from ?? ''}${chosen?.to ?? ''}`}
          days={chosen}
          timezone={website.timezone}
          {...(calendar === 'comparison'
            ? {
                weekdays: {
                  match: state.matchWeekdays,
                  onMatch: (matchWeekdays: boolean) => onChange({ ...state, matchWeekdays }),
                },
              }
            : {})}
          onApply={apply}
        />
      </LatePopover>
    </div>
  );
}

const daysOf = (from: string | null | undefined, to: string | null | undefined): Days | null =>
  from && to ? { from: from.slice(0, 10), to: to.slice(0, 10) } : null;

/** "Nov 18 – Nov 24, 2026", one year named once. */
function dates(days: Days | null): string | null {
  if (!days) return null;
  if (days.from === days.to) return formatDay(days.to);
  const from = formatDay(days.from);
  const sameYear = days.from.slice(0, 4) === days.to.slice(0, 4);
  return `${sameYear ? from.replace(/, \d{4}$/, '') : from} – ${formatDay(days.to)}`;
}
