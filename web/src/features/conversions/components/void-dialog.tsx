import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { VoidPayout } from '@/lib/api/request-schemas';
import { formatMinor } from '@/lib/format';
import type { Payout } from '../api/payouts';

interface Props {
  readonly payout: Payout;
  readonly onClose: () => void;
  readonly onVoid: (reason: string) => void;
}

export function VoidDialog({ payout, onClose, onVoid }: Props) {
  const form = useRequestForm({
    request: VoidPayout,
    initial: { reason: '' },
    rules: { reason: { missing: 'Please give a reason' } },
    onSubmit: ({ reason }) => {
      onVoid(reason);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title="Void payout"
      description={`${payout.partnerName}, ${formatMinor(payout.amount)}. It no longer counts and can’t be restored; record it again if it took place.`}
      action="Void payout"
      danger
      onClose={onClose}
    >
      <TextField label="Reason" {...form.field('reason')} />
    </FormDialog>
  );
}
