// The next step of a deal, who has to take it, and its milestones: texts and order without rendering.
import { browserTimezone, formatZoned } from '@/lib/dates';
import { formatSum } from './format';
import type { NextStep, Offer, OfferInFull, Step } from './types';

export type Deal = OfferInFull;
export type Action =
  | 'accept'
  | 'counter'
  | 'decline'
  | 'withdraw'
  | 'pay'
  | 'cancel'
  | 'deliver'
  | 'confirm-receipt'
  | 'accept-delivery'
  | 'dispute'
  | 'decide'
  | 'confirm-handover'
  | 'cancel-direct'
  | 'dispute-direct'
  | 'close';

/** Possible actions, the next step first. The server checks them again. */
export function actionsOf(deal: Deal): readonly Action[] {
  const { side, status, escrow } = deal;
  if (side === 'admin') {
    if (escrow?.status !== 'disputed' || escrow.outcome !== null) return [];
    return [escrow.isDirect ? 'close' : 'decide'];
  }
  if (status === 'sent' || status === 'countered') {
    const answers: readonly Action[] =
      deal.turn === side ? [...(deal.isOnHold ? [] : (['accept', 'counter'] as const)), 'decline'] : [];
    return side === 'buyer' ? [...answers, 'withdraw'] : answers;
  }
  if (escrow?.isDirect) return directActions(deal.next, escrow.status);
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

function directActions(next: NextStep, status: string): readonly Action[] {
  if (status !== 'agreed' && status !== 'confirmed') return [];
  return [
    ...(next === 'confirm_handover' ? (['confirm-handover'] as const) : []),
    'dispute-direct',
    ...(status === 'agreed' ? (['cancel-direct'] as const) : []),
  ];
}

/** What one has to know before an offer is made; null: the escrow protects the money. */
export function termsText(kind: Deal['escrowKind']): string | null {
  switch (kind) {
    case 'none':
      return 'There is no escrow here, so offers can be made and discussed, but not accepted yet.';
    case 'trial':
      return 'Test mode: no real money is moved. Don’t transfer a real website.';
    case 'direct':
      return 'Deals here have no escrow: your money is not protected. Buyer and seller arrange payment and transfer themselves; the platform never holds the money.';
    case 'real':
      return null;
  }
}

/** What one has to know of the escrow here, apart from whose turn it is. */
export function escrowNote({ escrowKind, escrow, status }: Deal): string | null {
  const isOpen = status === 'sent' || status === 'countered';
  if (escrowKind === 'none' && isOpen) return 'No escrow provider is configured, so offers cannot be accepted yet.';
  return escrowKind !== 'none' && (isOpen || escrow) ? termsText(escrowKind) : null;
}

/** The actions of the current user. */
export const isMyTurn = (side: Deal['side'], next: NextStep): boolean =>
  side !== 'admin' && ['answer', 'pay', 'deliver', 'confirm_receipt', 'inspect', 'confirm_handover'].includes(next);

/** The same of a row in the list of deals. */
export function waitsForMe({ side, turn, isOnHold, escrowStatus }: Offer): boolean {
  if (escrowStatus === null) return turn === side && !isOnHold;
  return escrowStatus === 'funded'
    ? side === 'seller'
    : side === 'buyer' && ['agreed', 'delivered', 'inspecting'].includes(escrowStatus);
}

const IN_A_DEAL: readonly Deal['listingStatus'][] = ['under_offer', 'in_escrow', 'sold'];

/** One sentence that says whose turn it is, and one about what follows. */
export function nextOf(deal: Deal): { readonly title: string; readonly text: string } {
  const { escrow, side, buyerName, sellerName } = deal;
  const at = (time: string | null | undefined) => (time ? formatZoned(time, browserTimezone()) : '');
  const price = formatSum(deal.price);
  const other = deal.turn === 'buyer' ? buyerName : sellerName;
  if (deal.isOnHold) {
    return IN_A_DEAL.includes(deal.listingStatus)
      ? {
          title: 'On hold',
          text: `Another offer for this website was accepted. If that deal falls through before ${at(deal.expiresAt)}, this offer reopens.`,
        }
      : {
          title: 'On hold',
          text: `This website is not for sale right now. If it is relisted before ${at(deal.expiresAt)}, this offer reopens.`,
        };
  }
  switch (side === 'admin' ? (AS_ADMIN[deal.next] ?? deal.next) : deal.next) {
    case 'answer':
      return {
        title: 'Your turn to answer',
        text: `Accept ${price}, make a counter-offer, or decline. Expires ${at(deal.expiresAt)}.`,
      };
    case 'wait':
      return {
        title: `Waiting for ${other}`,
        text: `Offer: ${price}. Expires ${at(deal.expiresAt)}.`,
      };
    case 'pay':
      return {
        title: 'Your turn: pay into escrow',
        text: escrow?.paymentUrl
          ? `Pay ${price} to the escrow provider by ${at(escrow.payUntil)}. The seller is paid only once you accept the website.`
          : `The escrow provider is preparing the payment page for ${price}. It appears here in a moment.`,
      };
    case 'wait_for_payment':
      return {
        title: `Waiting for ${buyerName} to pay`,
        text: `${price} is due in escrow by ${at(escrow?.payUntil)}; otherwise the deal is canceled. Don’t transfer anything before.`,
      };
    case 'deliver':
      return {
        title: 'Your turn: transfer the website',
        text: `${price} is in escrow. Transfer the domain, the files and the accounts, then confirm here.`,
      };
    case 'confirm_handover':
      return side === 'admin'
        ? underway
        : {
            title: 'Your turn: hand over and confirm',
            text:
              escrow?.status === 'agreed'
                ? `Arrange the payment of ${price} and the transfer with ${side === 'buyer' ? sellerName : buyerName} in the thread. Confirm here once money and website are handed over. If no one confirms by ${at(escrow.payUntil)}, the deal is canceled.`
                : `${side === 'buyer' ? sellerName : buyerName} confirmed that money and website are handed over. Confirm it too, or open a dispute.${soldOn(at(escrow?.inspectUntil))}`,
          };
    case 'wait_for_confirmation':
      return {
        title: `Waiting for ${side === 'buyer' ? sellerName : buyerName} to confirm`,
        text: `The website counts as sold once both of you have confirmed. If something is wrong, open a dispute.${soldOn(at(escrow?.inspectUntil))}`,
      };
    case 'wait_for_delivery':
      return {
        title: `Waiting for ${sellerName} to transfer the website`,
        text: `${price} is in escrow. It is paid out only once the buyer accepts the website.`,
      };
    case 'confirm_receipt':
      return {
        title: 'Your turn: confirm receipt',
        text: `${sellerName} reports that the website is transferred. If you don’t respond, the inspection starts ${at(escrow?.inspectFrom)}.`,
      };
    case 'inspect':
      return {
        title: 'Your turn: inspect and accept',
        text: `Check everything that was agreed. Auto-accepts on ${at(escrow?.inspectUntil)} unless you open a dispute.`,
      };
    case 'wait_for_inspection':
      return {
        title: `Waiting for ${buyerName} to inspect`,
        text: inspection(at(escrow?.inspectFrom), at(escrow?.inspectUntil)),
      };
    case 'wait_for_decision':
      return side === 'admin'
        ? {
            title: 'Awaiting an admin’s decision',
            text: escrow?.isDirect
              ? 'Review the thread, ask both sides, then record how the deal ended. There is no money to move.'
              : 'Review the thread, ask both sides, then decide who is paid.',
          }
        : {
            title: 'Waiting for an admin',
            text: 'The dispute is under review. Add relevant information to the thread.',
          };
    case 'wait_for_payout':
      return {
        title: 'Waiting for the escrow provider',
        text: 'The provider was instructed to pay. It confirms once the money is transferred.',
      };
    case 'none':
      return over(deal);
  }
}

const underway = { title: 'In progress', text: 'Buyer and seller hand over money and website.' };

/** The buyer's next step in the admin's words. */
const AS_ADMIN: Partial<Record<NextStep, NextStep>> = {
  pay: 'wait_for_payment',
  confirm_receipt: 'wait_for_inspection',
  inspect: 'wait_for_inspection',
};

/** Once the side that does not respond was reminded. */
const soldOn = (day: string): string => (day ? ` Without either, the website counts as sold on ${day}.` : '');

const inspection = (from: string, until: string): string =>
  until ? `Auto-accepts on ${until} unless a dispute is opened.` : `The inspection starts automatically on ${from}.`;

function over({ status, escrow }: Deal): { readonly title: string; readonly text: string } {
  switch (escrow?.status) {
    case 'released':
      return escrow.toBuyer && escrow.toBuyer.amount > 0 && escrow.toSeller
        ? {
            title: 'Paid out',
            text: `The seller got ${formatSum(escrow.toSeller)}, the buyer got ${formatSum(escrow.toBuyer)} back.`,
          }
        : { title: 'Sold', text: `The seller got ${formatSum(escrow.toSeller ?? escrow.price)}.` };
    case 'refunded':
      return { title: 'Money refunded', text: `The buyer got ${formatSum(escrow.toBuyer ?? escrow.price)} back.` };
    case 'completed':
      if (escrow.decisionReason === null && (escrow.buyerConfirmedAt === null || escrow.sellerConfirmedAt === null)) {
        return { title: 'Sold', text: 'One side confirmed the handover; the other did not respond in time.' };
      }
      return escrow.decisionReason === null
        ? { title: 'Sold', text: 'Both sides confirmed that money and website are handed over.' }
        : { title: 'Sold', text: 'An admin recorded the sale after a dispute.' };
    case 'cancelled':
      return {
        title: 'Canceled',
        text: escrow.isDirect ? 'The website was not sold.' : 'The deal ended before any payment.',
      };
    default:
      return { title: ENDS[status] ?? 'Closed', text: 'No action is needed.' };
  }
}

/** Whether the website is sold, for its two sides: it can move to the buyer. */
export const isSold = ({ side, escrow, listingStatus }: Deal): boolean =>
  side !== 'admin' && listingStatus === 'sold' && (escrow?.status === 'released' || escrow?.status === 'completed');

const ENDS: Readonly<Record<string, string>> = {
  declined: 'Declined',
  withdrawn: 'Withdrawn',
  expired: 'Expired',
  accepted: 'Accepted',
};

export interface Milestone {
  readonly id: string;
  readonly label: string;
  /** The actor. */
  readonly by: string;
  readonly at: string | null;
  readonly state: 'done' | 'next' | 'later';
}

const LABELS = {
  agreed: ['Price agreed', 'Buyer and seller'],
  funded: ['Money in escrow', 'The buyer pays'],
  delivered: ['Website transferred', 'The seller'],
  inspection_began: ['Inspection', 'The buyer'],
  accepted: ['Website accepted', 'The buyer'],
  disputed: ['Dispute', 'Buyer or seller'],
  decided: ['Decision', 'An admin'],
  released: ['Money released', 'The escrow provider'],
  refunded: ['Money refunded', 'The escrow provider'],
  cancelled: ['Canceled', 'Before any payment'],
} as const;
type Mark = keyof typeof LABELS;

/** Whether the history includes the deal's current state. */
export function isRecorded({ status, escrow }: Deal, history: readonly Step[]): boolean {
  const decided = escrow?.status === 'disputed' && escrow.outcome !== null;
  if (escrow?.isDirect) {
    const end = escrow.decisionReason === null ? escrow.status : 'closed';
    return history.some((step) => step.kind === `direct_deal.${end}`);
  }
  const last = escrow
    ? `escrow.${decided ? 'decided' : escrow.status === 'inspecting' ? 'inspection_began' : escrow.status}`
    : `offer.${status}`;
  return history.some((step) => step.kind === last);
}

/** The escrow's way: what happened and when, and what is still to come. */
export function milestonesOf(deal: Deal, history: readonly Step[]): readonly Milestone[] {
  const { escrow } = deal;
  if (!escrow) return [];
  if (escrow.isDirect) return directMilestones(deal, history);
  const times = new Map<string, string>();
  for (const step of history) {
    if (step.kind.startsWith('escrow.')) times.set(step.kind.slice('escrow.'.length), step.at);
  }
  const marks = way(escrow.status, escrow.outcome, times);
  const last = marks.reduce((found, mark, index) => (times.has(mark) ? index : found), -1);
  const isOver = ['released', 'refunded', 'cancelled'].includes(escrow.status);
  return marks
    .filter((mark, index) => times.has(mark) || index > last) // what was passed over is left out
    .map((mark) => ({
      id: mark,
      label: LABELS[mark][0],
      by: LABELS[mark][1],
      at: times.get(mark) ?? null,
      state: times.has(mark) ? ('done' as const) : ('later' as const),
    }))
    .map((item, index, all) =>
      !isOver && item.state === 'later' && (index === 0 || all[index - 1]?.state === 'done')
        ? { ...item, state: 'next' as const }
        : item,
    );
}

function directMilestones({ escrow, sellerName, buyerName }: Deal, history: readonly Step[]): readonly Milestone[] {
  const time = (kind: string) => history.find((step) => step.kind === `direct_deal.${kind}`)?.at ?? null;
  const isOver = escrow?.status === 'completed' || escrow?.status === 'cancelled';
  const steps: readonly (readonly [string, string, string, string | null])[] = [
    ['agreed', 'Price agreed', 'Buyer and seller', time('agreed')],
    ['seller', 'Seller confirmed the handover', sellerName, escrow?.sellerConfirmedAt ?? null],
    ['buyer', 'Buyer confirmed the handover', buyerName, escrow?.buyerConfirmedAt ?? null],
    ['disputed', 'Dispute', 'Buyer or seller', time('disputed')],
    ['closed', 'End recorded', 'An admin', time('closed')],
    ['cancelled', 'Canceled', 'Before any confirmation', time('cancelled')],
    ['completed', 'Sold', 'Both sides', time('completed')],
  ];
  const optional = ['disputed', 'cancelled', ...(escrow?.disputedBy ? [] : ['closed'])];
  const left = escrow?.disputedBy ? ['seller', 'buyer', 'completed'] : [];
  return steps
    .filter(([id, , , at]) => at !== null || !(isOver || optional.includes(id) || left.includes(id)))
    .map(([id, label, by, at]) => ({ id, label, by, at, state: at === null ? ('next' as const) : ('done' as const) }))
    .map((item, index, all) =>
      item.state === 'next' && all.findIndex((other) => other.state === 'next') !== index && item.id === 'completed'
        ? { ...item, state: 'later' as const }
        : item,
    );
}

function way(status: string, outcome: string | null, times: ReadonlyMap<string, string>): readonly Mark[] {
  if (status === 'cancelled') return ['agreed', 'cancelled'];
  if (times.has('cancelled')) return ['agreed', 'cancelled', 'funded', 'refunded'];
  if (status === 'disputed' || times.has('disputed')) {
    return [
      'agreed',
      'funded',
      'delivered',
      'inspection_began',
      'disputed',
      'decided',
      outcome === 'refund' || status === 'refunded' ? 'refunded' : 'released',
    ];
  }
  return ['agreed', 'funded', 'delivered', 'inspection_began', 'accepted', 'released'];
}
