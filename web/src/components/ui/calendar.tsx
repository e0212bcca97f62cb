// A calendar in which two clicks (or Enter twice) choose a range of days. Weeks begin on Monday.
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { cx } from '@/lib/cx';
import { addDays, formatIn, isDay } from '@/lib/dates';
import { Button } from './button';
import { addMonths, monthOf, weeksOf } from './calendar-days';

interface Props {
  readonly from: string;
  readonly to: string;
  /** Last day that can be chosen. */
  readonly max: string;
  readonly months: 1 | 2;
  readonly onPick: (from: string, to: string) => void;
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

export function Calendar({ from, to, max, months, onPick }: Props) {
  const [first, setFirst] = useState<string | null>(null);
  const [hovered, setHovered] = useState<string | null>(null);
  const [focused, setFocused] = useState(isDay(to) && to <= max ? to : max);
  const [shown, setShown] = useState(() => addMonths(monthOf(focused), 1 - months));
  const grid = useRef<HTMLDivElement>(null);
  const moved = useRef(false);
  useEffect(() => {
    if (!moved.current) return;
    moved.current = false;
    grid.current?.querySelector<HTMLButtonElement>(`[data-day="${focused}"]`)?.focus();
  }, [focused, shown]);

  const show = (day: string) => {
    if (monthOf(day) < shown) setShown(monthOf(day));
    else if (monthOf(day) > addMonths(shown, months - 1)) setShown(addMonths(monthOf(day), 1 - months));
  };
  const page = (count: number) => {
    const next = addMonths(shown, count);
    setShown(next);
    // The day that takes the focus stays in view.
    const last = addMonths(next, months - 1);
    if (monthOf(focused) < next) setFocused(next);
    else if (monthOf(focused) > last) setFocused(last);
  };
  const pick = (day: string) => {
    setFocused(day);
    if (first === null) return setFirst(day);
    setFirst(null);
    onPick(first < day ? first : day, first < day ? day : first);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const target = targetOf(event, focused);
    if (!target) return;
    event.preventDefault();
    const day = target > max ? max : target;
    moved.current = true;
    setFocused(day);
    setHovered(day);
    show(day);
  };
  const [low, high] = first === null ? [from, to] : span(first, hovered ?? first);
  return (
    // The arrows that the days handle come up to here.
    // eslint-disable-next-line jsx-a11y-x/no-static-element-interactions
    <div ref={grid} className="relative" onKeyDown={onKeyDown} onPointerLeave={() => setHovered(null)}>
      <div className="absolute inset-x-0 top-0 flex justify-between">
        <Button variant="ghost" size="icon" aria-label="Previous month" onClick={() => page(-1)}>
          <ChevronLeft aria-hidden className="size-4" />
        </Button>
        <Button
          variant="ghost"
          size="icon"
          aria-label="Next month"
          disabled={addMonths(shown, months) > max}
          onClick={() => page(1)}
        >
          <ChevronRight aria-hidden className="size-4" />
        </Button>
      </div>
      <div className={cx('grid gap-x-6 gap-y-4', months === 2 && 'grid-cols-2')}>
        {Array.from({ length: months }, (_, index) => addMonths(shown, index)).map((month) => (
          <Month
            key={month}
            month={month}
            low={low}
            high={high}
            max={max}
            focused={focused}
            onPick={pick}
            onHover={setHovered}
          />
        ))}
      </div>
      <p role="status" className="mt-2 text-[0.8125rem] text-muted">
        {first === null ? 'Choose the first day.' : 'Choose the last day.'}
      </p>
    </div>
  );
}

interface MonthProps {
  /** Its first day. */
  readonly month: string;
  readonly low: string;
  readonly high: string;
  readonly max: string;
  readonly focused: string;
  readonly onPick: (day: string) => void;
  readonly onHover: (day: string) => void;
}

function Month({ month, low, high, max, focused, onPick, onHover }: MonthProps) {
  const id = useId();
  return (
    // The date grid of the ARIA practices: cells that the arrow keys move between.
    // eslint-disable-next-line jsx-a11y-x/no-noninteractive-element-to-interactive-role
    <table role="grid" aria-labelledby={id} className="w-full table-fixed border-collapse">
      <caption id={id} className="h-9 content-center font-medium">
        {formatIn(month, 'UTC', { month: 'long', year: 'numeric' })}
      </caption>
      <thead>
        <tr>
          {WEEKDAYS.map((name) => (
            <th key={name} scope="col" abbr={name} className="h-8 text-xs font-normal text-muted">
              {name.slice(0, 2)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(month).map((week) => (
          <tr key={week[0]}>
            {week.map((day) => {
              if (monthOf(day) !== month) return <td key={day} className="h-10" />;
              const inside = day >= low && day <= high;
              const edge = day === low || day === high;
              return (
                <td key={day} role="gridcell" aria-selected={inside} className="p-0">
                  <button
                    type="button"
                    data-day={day}
                    tabIndex={day === focused ? 0 : -1}
                    disabled={day > max}
                    aria-label={formatIn(day, 'UTC', {
                      weekday: 'long',
                      month: 'long',
                      day: 'numeric',
                      year: 'numeric',
                    })}
                    onClick={() => onPick(day)}
                    onPointerEnter={() => onHover(day)}
                    className={cx(
                      'h-10 w-full tabular disabled:text-muted disabled:opacity-50',
                      edge ? 'rounded-lg bg-brand font-medium text-on-brand' : inside ? 'bg-brand-soft' : 'rounded-lg',
                      !edge && 'enabled:hover:bg-sunken',
                    )}
                  >
                    {Number(day.slice(8))}
                  </button>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const span = (one: string, other: string): [string, string] => (one < other ? [one, other] : [other, one]);

function targetOf({ key, shiftKey }: KeyboardEvent, day: string): string | null {
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  const months = shiftKey ? 12 : 1;
  switch (key) {
    case 'ArrowLeft':
      return addDays(day, -1);
    case 'ArrowRight':
      return addDays(day, 1);
    case 'ArrowUp':
      return addDays(day, -7);
    case 'ArrowDown':
      return addDays(day, 7);
    case 'Home':
      return addDays(day, -weekday);
    case 'End':
      return addDays(day, 6 - weekday);
    case 'PageUp':
      return addMonths(day, -months);
    case 'PageDown':
      return addMonths(day, months);
    default:
      return null;
  }
}
