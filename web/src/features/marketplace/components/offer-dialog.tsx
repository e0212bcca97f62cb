import { useState, type ReactNode } from 'react';
import { TextArea } from '@/components/ui/field';
import type { NewOffer } from '../api/deals';
import { Ask } from './action-confirmation';
import type { ActionProps } from './action-dialog';
import { DollarsField, WHOLE_DOLLARS } from './dollars-field';
import { formatPrice, parseDollars } from '../lib/format';

interface Props {
  readonly title: string;
  readonly description: string;
  readonly action: string;
  /** Initial value in dollars. */
  readonly suggested: number | null;
  readonly sending: ActionProps['doing'] & { readonly mutate: (offer: NewOffer) => void };
  readonly onClose: () => void;
  /** What to know before sending. */
  readonly note?: ReactNode;
}

/** A price and some words: an offer, or a counter-offer. */
export function OfferDialog({ title, description, action, suggested, sending, onClose, note }: Props) {
  const [price, setPrice] = useState(suggested === null ? '' : String(suggested));
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);
  const dollars = parseDollars(price, { zero: false });
  return (
    <Ask
      title={title}
      description={description}
      action={dollars === null ? action : `${action} of ${formatPrice(dollars)}`}
      doing={sending}
      onClose={onClose}
      onConfirm={() => {
        setTried(true);
        if (dollars !== null) sending.mutate({ price: dollars, text: text.trim() });
      }}
    >
      {note}
      <DollarsField
        label="Price"
        required
        value={price}
        onChange={setPrice}
        error={tried && dollars === null ? WHOLE_DOLLARS : undefined}
      />
      <TextArea
        label="Message (optional)"
        rows={4}
        maxLength={10_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
        hint="Visible only to the two of you, and to an admin in a dispute."
      />
    </Ask>
  );
}
