import { useState } from 'react';
import { LocalForm } from '@/components/form/local-form';
import { Button } from '@/components/ui/button';
import { Calendar } from '@/components/ui/calendar';
import { TextField } from '@/components/ui/field';
import { focusOnMount } from '@/components/ui/focus';
import { Check } from '@/components/ui/check';
import { addDays, todayIn } from '@/lib/dates';
import { useMedia } from '@/lib/browser/media';
import type { Days } from '../lib/ranges';

interface Props {
  readonly days: Days | null;
  readonly timezone: string;
  /** Shown for a comparison: whether its days are moved so that weekdays line up. */
  readonly weekdays?: { readonly match: boolean; readonly onMatch: (match: boolean) => void };
  readonly onApply: (from: string, to: string) => void;
}

/** Days by two clicks in the calendar, or typed. */
export function CustomRange({ days, timezone, weekdays, onApply }: Props) {
  const today = todayIn(timezone);
  const [from, setFrom] = useState(days?.from ?? addDays(today, -13));
  const [to, setTo] = useState(days?.to ?? today);
  const wide = useMedia('(min-width: 720px)');
  const error = from && to && from > to ? 'The first day is after the last day.' : undefined;
  return (
    <LocalForm className="flex flex-col gap-3" onSubmit={() => from && to && !error && onApply(from, to)}>
      <Calendar from={from} to={to} max={today} months={wide ? 2 : 1} onPick={onApply} />
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          type="date"
          label="From"
          className="min-w-32 flex-1"
          ref={focusOnMount}
          required
          max={today}
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
        <TextField
          type="date"
          label="To"
          className="min-w-32 flex-1"
          required
          max={today}
          value={to}
          onChange={(event) => setTo(event.target.value)}
        />
        <Button type="submit" variant="primary" disabled={!from || !to || error !== undefined}>
          Apply
        </Button>
      </div>
      {error && (
        <p role="alert" className="text-[0.8125rem] text-bad">
          {error}
        </p>
      )}
      {weekdays && <Check label="Match weekdays" checked={weekdays.match} onChange={weekdays.onMatch} />}
      <p className="text-[0.8125rem] text-muted">Whole days in {timezone}, both included.</p>
    </LocalForm>
  );
}
