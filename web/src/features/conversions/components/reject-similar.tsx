import type { ReactNode } from 'react';
import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { RejectMany } from '@/lib/api/request-schemas';
import type { Explanation, Website } from '@/lib/api/types';
import { addDays, startOfDay, todayIn } from '@/lib/dates';
import { reasonName } from '@/lib/labels/traffic-reasons';
import { toastError } from '@/stores/toasts';
import type { Matching } from '../api/decisions';
import { countOf, useScheduled } from '../hooks/use-scheduled';

interface Props {
  readonly claim: Explanation['conversion'];
  readonly website: Website;
  readonly onClose: () => void;
  readonly onRejected: () => void;
}

/** Rejects similar fake sales together: all pending claims with the same click, address class or days. */
export function RejectSimilar({ claim, website, onClose, onRejected }: Props) {
  const { clickId, addressClass } = claim;
  const day = todayIn(website.timezone, new Date(claim.recordedAt));
  const scheduled = useScheduled(website.id, (_, { count, refused, error }) => {
    if (error !== null || refused.length > 0)
      toastError(
        'Not all claims were rejected',
        refused.length > 0
          ? `${countOf(refused.length)} could not be rejected.`
          : `Stopped after ${countOf(count)}. Try again to continue.`,
      );
    onRejected();
    onClose();
  });
  const form = useRequestForm({
    request: RejectMany,
    initial: { byClick: Boolean(clickId), byAddress: addressClass !== '', from: day, to: day, reason: '' },
    rules: ({ from }) => ({ reason: { missing: 'Please give a reason' }, to: (to) => orderFault(from, to) }),
    command: { ...scheduled, error: null }, // a toast says why
    input: ({ byClick, byAddress, from, to, reason }) => {
      const matching: Matching = {
        websiteId: website.id,
        keyKind: 'site',
        ...(byClick && clickId ? { clickId } : {}),
        ...(byAddress && addressClass ? { addressClass } : {}),
        ...(from ? { since: startOfDay(from, website.timezone) } : {}),
        ...(to ? { until: startOfDay(addDays(to, 1), website.timezone) } : {}),
      };
      return { decision: { kind: 'reject', reason, unattributed: false }, which: { matching } };
    },
  });
  const { byClick, byAddress, from, to } = form.values;
  return (
    <FormDialog
      form={form}
      title="Reject similar claims"
      description={`Rejects all pending claims of ${website.domain} that match every condition below. A rejected claim is pending again if a secret key or postback token reports the sale.`}
      action="Reject claims"
      danger
      onClose={onClose}
    >
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 font-medium">Conditions</legend>
        <Condition checked disabled>
          Reported with the site key only
        </Condition>
        {clickId && (
          <Condition checked={byClick} onChange={form.set('byClick')}>
            Same click: <span className="break-all">{clickId}</span>
          </Condition>
        )}
        {addressClass && (
          <Condition checked={byAddress} onChange={form.set('byAddress')}>
            Same address class: {reasonName(addressClass)}
          </Condition>
        )}
        <div className="mt-1 grid gap-3 sm:grid-cols-2">
          <TextField type="date" label="Recorded from" {...form.field('from')} />
          <TextField type="date" label="Recorded to" {...form.field('to')} error={orderFault(from, to)} />
        </div>
      </fieldset>
      <TextField label="Reason" {...form.field('reason')} />
    </FormDialog>
  );
}

const orderFault = (from: string, to: string): string | undefined =>
  from !== '' && to !== '' && from > to ? 'The last day is before the first' : undefined;

interface ConditionProps {
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange?: (on: boolean) => void;
  readonly children: ReactNode;
}

function Condition({ checked, disabled = false, onChange, children }: ConditionProps) {
  return (
    <label className="flex items-start gap-2.5">
      <input
        type="checkbox"
        className="mt-0.5 size-4 shrink-0 accent-brand"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange?.(event.target.checked)}
      />
      <span className="min-w-0">{children}</span>
    </label>
  );
}
