import { useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ApiError } from '@/lib/api/errors';
import { todayIn } from '@/lib/dates';
import { recordRate } from '../api/exchange-rates';

interface Props {
  readonly pair: { readonly base: string; readonly quote: string };
  readonly onClose: () => void;
}

/** Adds a rate by hand. */
export function ExchangeRateDialog({ pair, onClose }: Props) {
  const [draft, setDraft] = useState({ ...pair, rate: '', on: todayIn('UTC') });
  const saving = useCommand(recordRate, { onSuccess: onClose });
  const fields = saving.error instanceof ApiError ? saving.error.fields : {};
  const isNamed = ['base', 'quote', 'rate', 'on'].some((name) => fields[name]);
  const set = (part: Partial<typeof draft>) => {
    setDraft((before) => ({ ...before, ...part }));
    if (saving.error) saving.reset();
  };
  return (
    <Dialog
      open
      onOpenChange={(shown) => !shown && onClose()}
      title="Add rate"
      description="Sales that wait for this rate are decided at once. Conversions that are decided keep theirs."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate(draft);
        }}
      >
        <div className="grid grid-cols-2 gap-3">
          {(['base', 'quote'] as const).map((name) => (
            <TextField
              key={name}
              label={name === 'base' ? 'From currency' : 'To currency'}
              required
              maxLength={3}
              placeholder={name === 'base' ? 'EUR' : 'USD'}
              autoComplete="off"
              value={draft[name]}
              error={fields[name]}
              onChange={(event) => set({ [name]: event.target.value.toUpperCase() })}
            />
          ))}
        </div>
        <TextField
          label="Rate"
          required
          inputMode="decimal"
          maxLength={25}
          hint={`How many ${draft.quote || 'units'} one ${draft.base || 'unit'} is worth, such as 1.0825`}
          value={draft.rate}
          error={fields['rate']}
          onChange={(event) => set({ rate: event.target.value.trim().replace(',', '.') })}
        />
        <TextField
          label="From day"
          type="date"
          required
          hint="UTC. It holds until a newer one; a rate of the same day is replaced."
          value={draft.on}
          error={fields['on']}
          onChange={(event) => set({ on: event.target.value })}
        />
        {saving.error && !isNamed && <ErrorBox error={saving.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={saving.isPending}>
            Add rate
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
