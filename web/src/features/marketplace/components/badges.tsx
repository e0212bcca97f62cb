import { BadgeCheck, Clock3 } from 'lucide-react';
import { Badge } from '@/components/ui/badge';
import { ESCROW_STATES, LISTING_STATES, OFFER_STATES } from '../lib/format';
import type { EscrowStatus, Listing, ListingStatus, OfferStatus } from '../lib/types';

export function VerificationBadge({ status }: { readonly status: Listing['verificationStatus'] }) {
  if (status === 'overstated') return <Badge tone="bad">Claims exceed measurements</Badge>;
  return status === 'verified' ? (
    <Badge tone="good">
      <BadgeCheck aria-hidden className="size-3.5" />
      Verified
    </Badge>
  ) : (
    <Badge>
      <Clock3 aria-hidden className="size-3.5" />
      <span>Verification:</span> <span>Pending</span>
    </Badge>
  );
}

export const ListingBadge = ({ status }: { readonly status: ListingStatus }) => (
  <Badge tone={LISTING_STATES[status].tone}>{LISTING_STATES[status].label}</Badge>
);
export const OfferBadge = ({ status }: { readonly status: OfferStatus }) => (
  <Badge tone={OFFER_STATES[status].tone}>{OFFER_STATES[status].label}</Badge>
);
interface EscrowBadgeProps {
  readonly status: EscrowStatus;
  readonly isDirect?: boolean;
}

export const EscrowBadge = ({ status, isDirect = false }: EscrowBadgeProps) => (
  <Badge tone={ESCROW_STATES[status].tone}>
    {`${isDirect ? 'Without escrow' : 'Escrow'}: ${ESCROW_STATES[status].label.toLowerCase()}`}
  </Badge>
);
