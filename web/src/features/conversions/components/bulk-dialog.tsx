import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { RejectMany } from '@/lib/api/request-schemas';
import type { Money } from '@/lib/api/types';
import { formatCount, formatMinor } from '@/lib/format';
import type { Decision } from '../api/decisions';
import { countOf } from '../hooks/use-scheduled';

/** What is to be decided: how many, with which commission, and how many of them without a click. */
export interface Sum {
  readonly count: number;
  readonly unattributed: number;
  readonly commission: readonly Money[];
}

interface Props {
  readonly kind: Decision['kind'];
  readonly sum: Sum;
  readonly onClose: () => void;
  readonly onDecide: (decision: Decision) => void;
}

export function BulkDialog({ kind, sum, onClose, onDecide }: Props) {
  const form = useRequestForm({
    request: kind === 'reject' ? RejectMany : {},
    initial: { reason: '', unattributed: false },
    rules: kind === 'reject' ? { reason: { missing: 'Please give a reason' } } : {},
    onSubmit: ({ reason, unattributed }) => {
      onDecide({ kind, reason, unattributed: kind === 'approve' && unattributed });
      onClose();
    },
  });
  const { unattributed } = form.values;
  const count = kind === 'reject' || unattributed ? sum.count : sum.count - sum.unattributed;
  const money = sum.commission.map((one) => formatMinor(one)).join(' + ') || '$0.00';
  return (
    <FormDialog
      form={form}
      title={`${kind === 'approve' ? 'Approve' : 'Reject'} ${countOf(count)}?`}
      description={
        kind === 'approve'
          ? `This approves ${money} in commission. You can undo it for 10 seconds. After that it can’t be undone, but you can reverse refunds later.`
          : `This removes ${money} in commission. You can undo it for 10 seconds. The reason is saved and visible to everyone with access.`
      }
      action={kind === 'approve' ? 'Approve' : 'Reject'}
      danger={kind === 'reject'}
      disabled={count === 0}
      onClose={onClose}
    >
      {kind === 'reject' && <TextField label="Reason" {...form.field('reason')} />}
      {kind === 'approve' && sum.unattributed > 0 && (
        <label className="flex items-start gap-2.5 rounded-lg bg-warn-soft px-3 py-2.5">
          <input
            type="checkbox"
            className="mt-0.5 size-4 shrink-0 accent-brand"
            checked={unattributed}
            onChange={(event) => form.set('unattributed')(event.target.checked)}
          />
          <span>
            {`Also approve ${formatCount(sum.unattributed)} unattributed`}
            <span className="block text-[0.8125rem] text-muted">
              No click was found for {sum.unattributed === 1 ? 'it' : 'them'}, so no commission is earned. Left out,{' '}
              {sum.unattributed === 1 ? 'it stays' : 'they stay'} pending and can still be attributed.
            </span>
          </span>
        </label>
      )}
    </FormDialog>
  );
}
