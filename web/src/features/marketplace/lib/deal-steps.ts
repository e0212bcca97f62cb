// What a deal waits for, who has to do it, and which way it went: words and order, without any drawing.
import { browserTimezone, formatDateTime } from '@/lib/dates';
import { formatSum } from './shown';
import type { NextStep, Offer, OfferInFull, Step } from './types';

export type Deal = OfferInFull;
export type Action = 'accept' | 'counter' | 'decline' | 'withdraw' | 'pay' | 'cancel' | 'deliver' | 'confirm-receipt' | 'accept-delivery' | 'dispute' | 'decide';

/** What may be done now, the next step first. The server asks for itself. */
export function actionsOf(deal: Deal): readonly Action[] {
  const { side, status, escrow } = deal;
  if (side === 'admin') return escrow?.status === 'disputed' && escrow.outcome === null ? ['decide'] : [];
  if (status === 'sent' || status === 'countered') {
    const answers: readonly Action[] = deal.turn === side ? [...(deal.isOnHold ? [] : (['accept', 'counter'] as const)), 'decline'] : [];
    return side === 'buyer' ? [...answers, 'withdraw'] : answers;
  }
  switch (escrow?.status) {
    case 'agreed':
      return side === 'buyer' ? [...(escrow.paymentUrl ? (['pay'] as const) : []), 'cancel'] : ['cancel'];
    case 'funded':
      return side === 'seller' ? ['deliver', 'dispute'] : ['dispute'];
    case 'delivered':
      return side === 'buyer' ? ['confirm-receipt', 'accept-delivery', 'dispute'] : ['dispute'];
    case 'inspecting':
      return side === 'buyer' ? ['accept-delivery', 'dispute'] : ['dispute'];
    default:
      return [];
  }
}

/** What one has to know of the escrow here, apart from whose turn it is. */
export function escrowNote({ escrowKind, escrow, status }: Deal): string | null {
  const isOpen = status === 'sent' || status === 'countered';
  if (escrowKind === 'trial' && (isOpen || escrow)) return 'The escrow here is a trial: no real money moves. Hand no real website over.';
  return escrowKind === 'none' && isOpen ? 'No escrow provider is set up here, so no offer can be accepted yet.' : null;
}

/** What the reader themselves is to do. */
export const isMyTurn = (side: Deal['side'], next: NextStep): boolean => side !== 'admin' && ['answer', 'pay', 'deliver', 'confirm_receipt', 'inspect'].includes(next);

/** The same of a row in the list of deals. */
export function waitsForMe({ side, turn, isOnHold, escrowStatus }: Offer): boolean {
  if (escrowStatus === null) return turn === side && !isOnHold;
  return escrowStatus === 'funded' ? side === 'seller' : side === 'buyer' && ['agreed', 'delivered', 'inspecting'].includes(escrowStatus);
}

const IN_A_DEAL: readonly Deal['listingStatus'][] = ['under_offer', 'in_escrow', 'sold'];

/** One sentence that says whose turn it is, and one about what follows. */
export function nextOf(deal: Deal): { readonly title: string; readonly text: string } {
  const { escrow, side, buyerName, sellerName } = deal;
  const at = (time: string | null | undefined) => (time ? formatDateTime(time, browserTimezone()) : '');
  const price = formatSum(deal.price);
  const other = deal.turn === 'buyer' ? buyerName : sellerName;
  if (deal.isOnHold) {
    return IN_A_DEAL.includes(deal.listingStatus)
      ? { title: 'On hold', text: `Another offer for this website was accepted. If that deal comes to nothing before ${at(deal.expiresAt)}, this one is open again.` }
      : { title: 'On hold', text: `This website is not for sale right now. If it is again before ${at(deal.expiresAt)}, this offer is open again.` };
  }
  switch (side === 'admin' ? (AS_ADMIN[deal.next] ?? deal.next) : deal.next) {
    case 'answer':
      return { title: 'Your turn to answer', text: `Accept ${price}, name another price, or decline. The offer ends ${at(deal.expiresAt)}.` };
    case 'wait':
      return { title: `Waiting for ${other}`, text: `The price named is ${price}. Without an answer the offer ends ${at(deal.expiresAt)}.` };
    case 'pay':
      return {
        title: 'Your turn: pay into escrow',
        text: escrow?.paymentUrl
          ? `Pay ${price} to the escrow provider until ${at(escrow.payUntil)}. The seller gets it only once you have accepted the website.`
          : `The escrow provider is preparing the page where you pay ${price}. It shows here in a moment.`,
      };
    case 'wait_for_payment':
      return { title: `Waiting for ${buyerName} to pay`, text: `${price} is to be in escrow by ${at(escrow?.payUntil)}; otherwise the deal is cancelled. Hand nothing over before.` };
    case 'deliver':
      return { title: 'Your turn: hand the website over', text: `${price} lies in escrow. Hand over the domain, the files and the accounts, then say so here.` };
    case 'wait_for_delivery':
      return { title: `Waiting for ${sellerName} to hand over`, text: `${price} lies in escrow. It is paid out only once the buyer has accepted the website.` };
    case 'confirm_receipt':
      return { title: 'Your turn: confirm that you have it', text: `${sellerName} says that the website is handed over. Without your word the inspection begins ${at(escrow?.inspectFrom)}.` };
    case 'inspect':
      return { title: 'Your turn: inspect and accept', text: `Look at everything that was agreed. Without your word the website counts as accepted ${at(escrow?.inspectUntil)}.` };
    case 'wait_for_inspection':
      return { title: `Waiting for ${buyerName} to inspect`, text: inspection(at(escrow?.inspectFrom), at(escrow?.inspectUntil)) };
    case 'wait_for_decision':
      return side === 'admin'
        ? { title: 'To be decided by an administrator', text: 'Read the thread, ask both sides, then decide who gets the money.' }
        : { title: 'Waiting for an administrator', text: 'The dispute is being looked at. Say in the thread what helps to decide it.' };
    case 'wait_for_payout':
      return { title: 'Waiting for the escrow provider', text: 'The provider was told whom to pay. It confirms once the money has moved.' };
    case 'none':
      return over(deal);
  }
}

/** What the buyer is told to do, as an administrator reads it. */
const AS_ADMIN: Partial<Record<NextStep, NextStep>> = { pay: 'wait_for_payment', confirm_receipt: 'wait_for_inspection', inspect: 'wait_for_inspection' };

const inspection = (from: string, until: string): string =>
  until ? `Without an answer the website counts as accepted ${until}.` : `Without an answer the inspection begins ${from}.`;

function over({ status, escrow }: Deal): { readonly title: string; readonly text: string } {
  switch (escrow?.status) {
    case 'released':
      return escrow.toBuyer && escrow.toBuyer.amount > 0 && escrow.toSeller
        ? { title: 'Paid out', text: `The seller got ${formatSum(escrow.toSeller)}, the buyer got ${formatSum(escrow.toBuyer)} back.` }
        : { title: 'Sold', text: `The seller got ${formatSum(escrow.toSeller ?? escrow.price)}.` };
    case 'refunded':
      return { title: 'Money paid back', text: `The buyer got ${formatSum(escrow.toBuyer ?? escrow.price)} back.` };
    case 'cancelled':
      return { title: 'Cancelled', text: 'The deal ended before anything was paid.' };
    default:
      return { title: ENDS[status] ?? 'Over', text: 'Nothing is to be done.' };
  }
}

const ENDS: Readonly<Record<string, string>> = { declined: 'Declined', withdrawn: 'Withdrawn', expired: 'Expired', accepted: 'Accepted' };

export interface Milestone {
  readonly id: string;
  readonly label: string;
  /** Who does it. */
  readonly by: string;
  readonly at: string | null;
  readonly state: 'done' | 'next' | 'later';
}

const LABELS = {
  agreed: ['Price agreed', 'Buyer and seller'],
  funded: ['Money in escrow', 'The buyer pays'],
  delivered: ['Website handed over', 'The seller'],
  inspection_began: ['Inspection', 'The buyer'],
  accepted: ['Website accepted', 'The buyer'],
  disputed: ['Dispute', 'Either side'],
  decided: ['Decision', 'An administrator'],
  released: ['Money released', 'The escrow provider'],
  refunded: ['Money paid back', 'The escrow provider'],
  cancelled: ['Cancelled', 'Before anything was paid'],
} as const;
type Mark = keyof typeof LABELS;

/** The history ends where the deal stands. */
export function isTold({ status, escrow }: Deal, history: readonly Step[]): boolean {
  const decided = escrow?.status === 'disputed' && escrow.outcome !== null;
  const last = escrow ? `escrow.${decided ? 'decided' : escrow.status === 'inspecting' ? 'inspection_began' : escrow.status}` : `offer.${status}`;
  return history.some((step) => step.kind === last);
}

/** The escrow's way: what happened and when, and what is still to come. */
export function milestonesOf(deal: Deal, history: readonly Step[]): readonly Milestone[] {
  const { escrow } = deal;
  if (!escrow) return [];
  const times = new Map<string, string>();
  for (const step of history) {
    if (step.kind.startsWith('escrow.')) times.set(step.kind.slice('escrow.'.length), step.at);
  }
  const marks = way(escrow.status, escrow.outcome, times);
  const last = marks.reduce((found, mark, index) => (times.has(mark) ? index : found), -1);
  const isOver = ['released', 'refunded', 'cancelled'].includes(escrow.status);
  return marks
    .filter((mark, index) => times.has(mark) || index > last) // what was passed over is left out
    .map((mark) => ({ id: mark, label: LABELS[mark][0], by: LABELS[mark][1], at: times.get(mark) ?? null, state: times.has(mark) ? ('done' as const) : ('later' as const) }))
    .map((item, index, all) => (!isOver && item.state === 'later' && (index === 0 || all[index - 1]?.state === 'done') ? { ...item, state: 'next' as const } : item));
}

function way(status: string, outcome: string | null, times: ReadonlyMap<string, string>): readonly Mark[] {
  if (status === 'cancelled') return ['agreed', 'cancelled'];
  if (times.has('cancelled')) return ['agreed', 'cancelled', 'funded', 'refunded'];
  if (status === 'disputed' || times.has('disputed')) {
    return ['agreed', 'funded', 'delivered', 'inspection_began', 'disputed', 'decided', outcome === 'refund' || status === 'refunded' ? 'refunded' : 'released'];
  }
  return ['agreed', 'funded', 'delivered', 'inspection_began', 'accepted', 'released'];
}
