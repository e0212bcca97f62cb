import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/field';
import { focusOnMount } from '@/components/ui/focus';
import { addDays, todayIn } from '@/lib/dates';
import type { AnalyticsState } from '../lib/search';

interface Props {
  readonly state: AnalyticsState;
  readonly timezone: string;
  readonly onApply: (from: string, to: string) => void;
}

export function CustomRange({ state, timezone, onApply }: Props) {
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
        <TextField
          type="date"
          label="From"
          ref={focusOnMount}
          required
          max={today}
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
        <TextField
          type="date"
          label="To"
          required
          max={today}
          value={to}
          onChange={(event) => setTo(event.target.value)}
        />
      </div>
      {error && (
        <p role="alert" className="text-[0.8125rem] text-bad">
          {error}
        </p>
      )}
      <p className="text-[0.8125rem] text-muted">Whole days in {timezone}, both included.</p>
      <Button type="submit" variant="primary" disabled={!from || !to || error !== undefined}>
        Apply
      </Button>
    </form>
  );
}
