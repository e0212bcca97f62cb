import { useState, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { focusFirstFault, TextField } from '@/components/ui/field';
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
  const [byClick, setByClick] = useState(Boolean(clickId));
  const [byAddress, setByAddress] = useState(addressClass !== '');
  const [from, setFrom] = useState(day);
  const [to, setTo] = useState(day);
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const wrongOrder = from !== '' && to !== '' && from > to;
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
  const submit = (event: React.SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTried(true);
    if (reason.trim() === '' || wrongOrder) {
      focusFirstFault(event.currentTarget);
      return;
    }
    const matching: Matching = {
      websiteId: website.id,
      keyKind: 'site',
      ...(byClick && clickId ? { clickId } : {}),
      ...(byAddress && addressClass ? { addressClass } : {}),
      ...(from ? { since: startOfDay(from, website.timezone) } : {}),
      ...(to ? { until: startOfDay(addDays(to, 1), website.timezone) } : {}),
    };
    scheduled.mutate({
      decision: { kind: 'reject', reason: reason.trim(), unattributed: false },
      which: { matching },
    });
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title="Reject similar claims"
      description={`Rejects all pending claims of ${website.domain} that match every condition below. A rejected claim is pending again if a secret key or postback token reports the sale.`}
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1.5 font-medium">Conditions</legend>
          <Condition checked disabled>
            Reported with the site key only
          </Condition>
          {clickId && (
            <Condition checked={byClick} onChange={setByClick}>
              Same click: <span className="break-all">{clickId}</span>
            </Condition>
          )}
          {addressClass && (
            <Condition checked={byAddress} onChange={setByAddress}>
              Same address class: {reasonName(addressClass)}
            </Condition>
          )}
          <div className="mt-1 grid gap-3 sm:grid-cols-2">
            <TextField
              type="date"
              label="Recorded from"
              value={from}
              onChange={(event) => setFrom(event.target.value)}
            />
            <TextField
              type="date"
              label="Recorded to"
              value={to}
              error={wrongOrder ? 'The last day is before the first' : undefined}
              onChange={(event) => setTo(event.target.value)}
            />
          </div>
        </fieldset>
        <TextField
          label="Reason"
          value={reason}
          error={tried && reason.trim() === '' ? 'Please give a reason' : undefined}
          onChange={(event) => setReason(event.target.value)}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="danger" busy={scheduled.isPending}>
            Reject claims
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

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
