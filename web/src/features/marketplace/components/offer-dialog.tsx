import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextArea } from '@/components/ui/field';
import { MakeOffer } from '@/lib/api/request-schemas';
import type { NewOffer } from '../api/deals';
import { DollarsField, WHOLE_DOLLARS } from './dollars-field';
import { formatPrice, parseDollars } from '../lib/format';

const dollarsOf = (text: string): number | null => parseDollars(text, { zero: false });

interface Props {
  readonly title: string;
  readonly description: string;
  readonly action: string;
  /** Initial value in dollars. */
  readonly suggested: number | null;
  readonly sending: UseMutationResult<unknown, Error, NewOffer>;
  readonly onClose: () => void;
  /** What to know before sending. */
  readonly note?: ReactNode;
}

/** A price and some words: an offer, or a counter-offer. */
export function OfferDialog({ title, description, action, suggested, sending, onClose, note }: Props) {
  const form = useRequestForm({
    request: MakeOffer,
    initial: { price: suggested === null ? '' : String(suggested), text: '' },
    rules: { price: (text) => (dollarsOf(text) === null ? WHOLE_DOLLARS : undefined) },
    command: sending,
    input: ({ price, text }) => ({ price: dollarsOf(price) ?? 0, text }),
  });
  const { price } = form.values;
  const dollars = dollarsOf(price);
  return (
    <FormDialog
      form={form}
      title={title}
      description={description}
      action={dollars === null ? action : `${action} of ${formatPrice(dollars)}`}
      onClose={onClose}
    >
      {note}
      <DollarsField label="Price" required value={price} onChange={form.set('price')} error={form.fault('price')} />
      <TextArea
        label="Message (optional)"
        rows={4}
        {...form.field('text')}
        hint="Visible only to the two of you, and to an admin in a dispute."
      />
    </FormDialog>
  );
}
