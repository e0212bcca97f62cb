import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextArea } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { CloseDeal } from '@/lib/api/request-schemas';
import { closeDispute } from '../api/moderation';
import type { Dispute } from '../lib/types';

interface Props extends Pick<Dispute, 'offerId' | 'buyerName' | 'sellerName'> {
  readonly onClose: () => void;
}

/** An admin's record of how a disputed direct deal ended. */
export function CloseDialog({ offerId, buyerName, sellerName, onClose }: Props) {
  const form = useRequestForm({
    request: CloseDeal,
    initial: { isSold: true as boolean, reason: '' },
    rules: { reason: { missing: 'Please give a reason' } },
    command: useCommand(closeDispute(offerId), { onSuccess: onClose }),
  });
  const choices = [
    [true, `Sold: ${buyerName} has the website`],
    [false, `Not sold: the website is ${sellerName}’s and for sale again`],
  ] as const;
  return (
    <FormDialog
      form={form}
      title="Record how this deal ended"
      description="Nothing was held, so no money is moved. This cannot be undone. Both sides see your reason."
      action="Record"
      danger
      onClose={onClose}
    >
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 font-medium">Outcome</legend>
        {choices.map(([value, words]) => (
          <label key={words} className="flex items-start gap-2.5">
            <input
              type="radio"
              name="outcome"
              checked={form.values.isSold === value}
              onChange={() => form.set('isSold')(value)}
              className="mt-0.5 size-4 accent-(--c-brand)"
            />
            {words}
          </label>
        ))}
      </fieldset>
      <TextArea label="Reason" rows={4} {...form.field('reason')} />
    </FormDialog>
  );
}
