import { useQuery } from '@tanstack/react-query';
import { Info } from 'lucide-react';
import { cx } from '@/lib/cx';
import { dealTermsQuery } from '../api/deal-terms';
import { termsText } from '../lib/deal-steps';
import type { DealTerms } from '../lib/types';

/** What one has to know before selling or making an offer where deals have no escrow. */
export function TermsNote({ className }: { readonly className?: string }) {
  const terms = useQuery(dealTermsQuery);
  return <NoteOfTerms terms={terms.data} className={className} />;
}

interface NoteProps {
  readonly terms: DealTerms | undefined;
  readonly className?: string | undefined;
}

/** The note about terms that were read; nothing where an escrow protects the money. */
export function NoteOfTerms({ terms, className }: NoteProps) {
  const text = terms && termsText(terms.escrowKind);
  if (!text) return null;
  return (
    <p role="note" className={cx('flex items-start gap-2.5 rounded-lg bg-warn-soft p-3', className)}>
      <Info aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0">{text}</span>
    </p>
  );
}
