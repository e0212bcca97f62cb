import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { RecordRate } from '@/lib/api/request-schemas';
import { todayIn } from '@/lib/dates';
import { recordRate } from '../api/exchange-rates';

interface Props {
  readonly pair: { readonly base: string; readonly quote: string };
  readonly onClose: () => void;
}

/** Adds a rate by hand. */
export function ExchangeRateDialog({ pair, onClose }: Props) {
  const saving = useCommand(recordRate, { onSuccess: onClose });
  const form = useRequestForm({
    request: RecordRate,
    initial: { ...pair, rate: '', on: todayIn('UTC') },
    rules: { base: { maxLength: 3 }, quote: { maxLength: 3 }, rate: { maxLength: 25 } },
    command: saving,
    forget: saving.reset,
  });
  const { base, quote } = form.values;
  return (
    <FormDialog
      form={form}
      native
      title="Add rate"
      description="Sales that wait for this rate are decided at once. Conversions that are decided keep theirs."
      action="Add rate"
      onClose={onClose}
    >
      <div className="grid grid-cols-2 gap-3">
        {(['base', 'quote'] as const).map((name) => (
          <TextField
            key={name}
            label={name === 'base' ? 'From currency' : 'To currency'}
            placeholder={name === 'base' ? 'EUR' : 'USD'}
            autoComplete="off"
            {...form.field(name)}
            onChange={(event) => form.set(name)(event.target.value.toUpperCase())}
          />
        ))}
      </div>
      <TextField
        label="Rate"
        inputMode="decimal"
        hint={`How many ${quote || 'units'} one ${base || 'unit'} is worth, such as 1.0825`}
        {...form.field('rate')}
        onChange={(event) => form.set('rate')(event.target.value.trim().replace(',', '.'))}
      />
      <TextField
        label="From day"
        type="date"
        hint="UTC. It holds until a newer one; a rate of the same day is replaced."
        {...form.field('on')}
      />
    </FormDialog>
  );
}
