import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { browserTimezone, formatZoned } from '@/lib/dates';
import type { Step } from '../lib/types';

interface Props {
  readonly query: {
    readonly data: readonly Step[] | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
}

/** Everything that happened, oldest first. */
export function HistoryList({ query }: Props) {
  if (query.error && !query.data)
    return <ErrorBox error={query.error} prefix="Error loading history" onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton className="h-24" />;
  if (query.data.length === 0) return <Empty className="py-6">No events yet.</Empty>;
  const zone = browserTimezone();
  return (
    <ol aria-label="History" className="flex flex-col gap-2.5 text-[0.8125rem]">
      {query.data.map((step) => (
        <li key={`${step.kind} ${step.number} ${step.at}`} className="grid grid-cols-[7.5rem_1fr] gap-3">
          <time dateTime={step.at} className="text-muted tabular">
            {formatZoned(step.at, zone)}
          </time>
          <span className="min-w-0 break-words">
            {describe(step)}
            {step.detail && <span className="block text-muted">{step.detail}</span>}
          </span>
        </li>
      ))}
    </ol>
  );
}

const BY: Record<Step['by'], string> = {
  buyer: 'the buyer',
  seller: 'the seller',
  admin: 'an admin',
  reviewer: 'the invited reviewer',
  system: 'the platform',
  provider: 'the escrow provider',
};

const KINDS: Readonly<Record<string, string>> = {
  'listing.drafted': 'Draft created',
  'listing.edited': 'Changed',
  'listing.images_changed': 'Images changed',
  'listing.submitted': 'Submitted for review',
  'listing.approved': 'Approved and online',
  'listing.rejected': 'Rejected',
  'listing.suspended': 'Taken offline',
  'listing.resumed': 'Online again',
  'listing.withdrawn': 'Withdrawn',
  'listing.expired': 'Listing expired',
  'listing.reserved': 'Offer accepted: reserved',
  'listing.freed': 'For sale again',
  'listing.in_escrow': 'Money in escrow',
  'listing.sold': 'Sold',
  'listing.verification_asked': 'Verification requested',
  'listing.verified': 'Verified from tracking data',
  'listing.not_verified': 'Could not be verified',
  'offer.sent': 'Offer sent',
  'offer.countered': 'Counter-offer',
  'offer.message_sent': 'Message',
  'offer.accepted': 'Offer accepted',
  'offer.declined': 'Offer declined',
  'offer.withdrawn': 'Offer withdrawn',
  'offer.expired': 'Offer expired',
  'offer.transfer_proposed': 'Move of the website offered',
  'offer.transfer_withdrawn': 'Move of the website no longer offered',
  'offer.transfer_declined': 'Move of the website declined',
  'offer.transfer_accepted': 'Website moved to the buyer',
  'escrow.agreed': 'Escrow agreed',
  'escrow.opened': 'Escrow transaction opened',
  'escrow.funded': 'Escrow funded',
  'escrow.delivered': 'Website transferred',
  'escrow.inspection_began': 'Inspection began',
  'escrow.accepted': 'Delivery accepted',
  'escrow.disputed': 'Dispute opened',
  'escrow.decided': 'Dispute decided',
  'escrow.released': 'Money released',
  'escrow.refunded': 'Money refunded',
  'escrow.cancelled': 'Escrow canceled',
  'listing.reviewer_invited': 'Reviewer invited',
  'listing.reviewer_joined': 'Review link opened',
  'direct_deal.agreed': 'Deal without escrow agreed',
  'direct_deal.confirmed': 'Handover confirmed',
  'direct_deal.reminded': 'Reminder sent',
  'direct_deal.completed': 'Deal complete',
  'direct_deal.disputed': 'Dispute opened',
  'direct_deal.closed': 'End recorded',
  'direct_deal.cancelled': 'Deal canceled',
};

const describe = (step: Step): string => `${KINDS[step.kind] ?? step.kind.replaceAll(/[._]/g, ' ')}, by ${BY[step.by]}`;
