import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Check, Circle, CircleDot } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Skeleton } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { Card, surface } from '@/components/ui/card';
import { cx } from '@/lib/cx';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { EscrowBadge, OfferBadge } from './badges';
import { DealActions } from './deal-actions';
import {
  escrowNote,
  isMyTurn,
  isRecorded,
  isSold,
  milestonesOf,
  nextOf,
  type Deal,
  type Milestone,
} from '../lib/deal-steps';
import { HistoryList } from './history';
import { dealHistoryQuery } from '../api/deals';
import { formatSum } from '../lib/format';
import { Thread } from './thread';

const TransferCard = lazy(() => import('./transfer-card').then((module) => ({ default: module.TransferCard })));
const TOLD_MS = 1000;
const TRIES = 30;

/** An offer with its thread, and the escrow that follows. */
export function DealPage({ deal }: { readonly deal: Deal }) {
  const state = `${deal.status} ${deal.escrow?.status ?? ''} ${deal.updatedAt}`;
  const history = useQuery({
    ...dealHistoryQuery(deal.id, state),
    placeholderData: keepPreviousData,
    // The history is another read model: it may learn of the newest step a moment later.
    refetchInterval: (query) =>
      query.state.dataUpdateCount < TRIES && !isRecorded(deal, query.state.data ?? []) ? TOLD_MS : false,
  });
  const [isShown, setShown] = useState(false);
  return (
    <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="flex min-w-0 flex-col gap-6">
        <NextStep deal={deal} />
        {isSold(deal) && (
          <Suspense fallback={<Skeleton className="h-40" />}>
            <TransferCard deal={deal} />
          </Suspense>
        )}
        <Thread deal={deal} />
      </div>
      <div className="flex min-w-0 flex-col gap-6">
        <Facts deal={deal} />
        {deal.escrow && (
          <Card title={deal.escrow.isDirect ? 'Deal without escrow' : 'Escrow'}>
            {history.data ? (
              <Timeline
                label={deal.escrow.isDirect ? 'Deal' : 'Escrow'}
                milestones={milestonesOf(deal, history.data)}
              />
            ) : (
              <Skeleton className="h-40" />
            )}
          </Card>
        )}
        <Card
          title="Full history"
          actions={
            <Button size="sm" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
              {isShown ? 'Hide' : 'Show'}
            </Button>
          }
        >
          {isShown ? (
            <HistoryList query={history} />
          ) : (
            <p className="text-[0.8125rem] text-muted">All events, visible to both sides.</p>
          )}
        </Card>
      </div>
    </div>
  );
}

function NextStep({ deal }: { readonly deal: Deal }) {
  const { title, text } = nextOf(deal);
  return (
    <section aria-label="Next step" className={cx(surface, 'p-5', isMyTurn(deal.side, deal.next) && 'border-brand')}>
      <div aria-live="polite">
        <h2 className="text-lg font-semibold">{title}</h2>
        <p className="mt-1 break-words text-muted">{text}</p>
        {escrowNote(deal) && <p className="mt-3 rounded-lg bg-warn-soft p-3 font-medium">{escrowNote(deal)}</p>}
      </div>
      {deal.escrow?.disputeText && (
        <div className="mt-3 rounded-lg bg-bad-soft p-3">
          <p className="text-[0.8125rem] font-medium">{`Dispute opened by the ${deal.escrow.disputedBy ?? 'other side'}`}</p>
          <p className="mt-1 break-words whitespace-pre-wrap">{deal.escrow.disputeText}</p>
        </div>
      )}
      {deal.escrow?.decisionReason && (
        <div className="mt-3 rounded-lg bg-sunken p-3">
          <p className="text-[0.8125rem] font-medium">Admin’s decision</p>
          <p className="mt-1 break-words whitespace-pre-wrap">{deal.escrow.decisionReason}</p>
        </div>
      )}
      <DealActions deal={deal} />
    </section>
  );
}

function Facts({ deal }: { readonly deal: Deal }) {
  const zone = browserTimezone();
  const rows = [
    ['Price', formatSum(deal.price)],
    ['Buyer', deal.side === 'buyer' ? `${deal.buyerName} (you)` : deal.buyerName],
    ['Seller', deal.side === 'seller' ? `${deal.sellerName} (you)` : deal.sellerName],
    ['Started', formatZoned(deal.createdAt, zone)],
  ] as const;
  return (
    <Card title="Deal">
      <div className="mb-3 flex flex-wrap gap-1.5">
        <OfferBadge status={deal.status} />
        {deal.escrow && <EscrowBadge status={deal.escrow.status} isDirect={deal.escrow.isDirect} />}
      </div>
      <dl className="flex flex-col gap-1.5">
        {rows.map(([name, value]) => (
          <div key={name} className="flex items-baseline justify-between gap-3">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 text-right font-medium break-words tabular">{value}</dd>
          </div>
        ))}
      </dl>
      {deal.listingTitle !== null && (
        <Link
          to="/marketplace/listing/$id"
          params={{ id: deal.listingId }}
          className="mt-3 self-start text-brand underline"
        >
          See the listing
        </Link>
      )}
    </Card>
  );
}

const ICONS = { done: Check, next: CircleDot, later: Circle } as const;
const STATE_LABELS = { done: 'done', next: 'next', later: 'upcoming' } as const;

function Timeline({ label, milestones }: { readonly label: string; readonly milestones: readonly Milestone[] }) {
  return (
    <ol aria-label={label} className="flex flex-col">
      {milestones.map((item, index) => {
        const Icon = ICONS[item.state];
        return (
          <li
            key={item.id}
            aria-current={item.state === 'next' ? 'step' : undefined}
            className="relative flex gap-3 pb-4 last:pb-0"
          >
            {index < milestones.length - 1 && (
              <span aria-hidden className="absolute top-6 bottom-0 left-3 w-px bg-line" />
            )}
            <span
              className={cx(
                'z-raised grid size-6 shrink-0 place-items-center rounded-full',
                item.state === 'done'
                  ? 'bg-good-soft text-good'
                  : item.state === 'next'
                    ? 'bg-brand-soft text-brand'
                    : 'bg-sunken text-muted',
              )}
            >
              <Icon aria-hidden className="size-3.5" />
            </span>
            <div className="min-w-0">
              <p className={cx('font-medium', item.state === 'later' && 'text-muted')}>
                {item.label} <span className="sr-only">{`(${STATE_LABELS[item.state]})`}</span>
              </p>
              <p className="text-[0.8125rem] text-muted">
                {item.at ? formatZoned(item.at, browserTimezone()) : item.by}
              </p>
            </div>
          </li>
        );
      })}
    </ol>
  );
}
