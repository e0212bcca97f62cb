import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { Reverse } from '@/lib/api/request-schemas';
import type { Conversion } from '@/lib/api/types';
import { formatMinor, parseMinor } from '@/lib/format';

interface Props {
  readonly conversion: Pick<Conversion, 'amount' | 'reversed' | 'txid'>;
  readonly onClose: () => void;
  /** `amount` null: all that is left. */
  readonly onReverse: (reason: string, amount: number | null) => void;
}

export function ReverseDialog({ conversion, onClose, onReverse }: Props) {
  const { amount, reversed, txid } = conversion;
  const left = { ...amount, amount: amount.amount - reversed.amount };
  const form = useRequestForm({
    request: Reverse,
    initial: { reason: '', amount: '' },
    rules: {
      reason: { missing: 'Please give a reason' },
      amount: (text) => {
        const partial = parseMinor(text, amount.currency);
        if (text === '') return undefined;
        if (partial === null) return `Please enter a valid amount in ${amount.currency}`;
        return partial > left.amount ? `At most ${formatMinor(left)} can be reversed` : undefined;
      },
    },
    onSubmit: (values) => {
      const partial = values.amount === '' ? null : parseMinor(values.amount, amount.currency);
      onReverse(values.reason, partial === left.amount ? null : partial);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title="Reverse conversion"
      description={`Transaction ${txid}, ${formatMinor(amount)}. The reason is saved and visible to everyone with access.`}
      action="Reverse"
      danger
      onClose={onClose}
    >
      <TextField label="Reason" {...form.field('reason')} />
      <TextField
        label={`Amount (${amount.currency}, optional)`}
        inputMode="decimal"
        hint={`Leave empty to reverse all ${formatMinor(left)}. The commission follows in proportion.`}
        {...form.field('amount')}
      />
    </FormDialog>
  );
}
