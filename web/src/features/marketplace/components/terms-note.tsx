import { useQuery } from '@tanstack/react-query';
import { Info } from 'lucide-react';
import { cx } from '@/lib/cx';
import { dealTermsQuery } from '../api/deal-terms';
import { termsText } from '../lib/deal-steps';

/** What one has to know before selling or making an offer where deals have no escrow. */
export function TermsNote({ className }: { readonly className?: string }) {
  const terms = useQuery(dealTermsQuery);
  const text = terms.data && termsText(terms.data.escrowKind);
  if (!text) return null;
  return (
    <p role="note" className={cx('flex items-start gap-2.5 rounded-lg bg-warn-soft p-3', className)}>
      <Info aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0">{text}</span>
    </p>
  );
}
