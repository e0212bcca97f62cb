// Labels and formats of the marketplace: money in dollars without decimals, traffic in K and M.
import type { Tone } from '@/components/ui/badge';
import { formatCount, formatMoney, fractionDigits, toMajor } from '@/lib/format';
import type { EscrowStatus, ListingStatus, Niche, OfferStatus } from './types';

export const NICHES: readonly Niche[] = ['vpn', 'hosting', 'software', 'finance', 'health', 'education', 'ecommerce'];
export const NICHE_LABELS: Record<Niche, string> = {
  vpn: 'VPN',
  hosting: 'Hosting',
  software: 'Software',
  finance: 'Finance',
  health: 'Health',
  education: 'Education',
  ecommerce: 'Ecommerce',
};
export const SORTS = ['recent', 'price-low', 'price-high', 'revenue'] as const;
export type Sort = (typeof SORTS)[number];
export const SORT_LABELS: Record<Sort, string> = {
  recent: 'Most Recent',
  'price-low': 'Price: Low to High',
  'price-high': 'Price: High to Low',
  revenue: 'Highest Revenue',
};

export const NOT_GIVEN = '–';

/** Whole dollars; null: the seller has not said. */
export const formatPrice = (dollars: number | null): string =>
  dollars === null ? NOT_GIVEN : formatMoney(dollars, 'USD', 0);

/** A sum of a deal: decimals only where there are cents, which must not be hidden. */
export function formatSum(money: { readonly amount: number; readonly currency: string }): string {
  const major = toMajor(money);
  return formatMoney(major, money.currency, Number.isInteger(major) ? 0 : fractionDigits(money.currency));
}

/** "950", "1K", "12.5K", "1M": K from 1,000 and M from 1,000,000, one decimal, never rounded up into the next unit. */
export function formatTraffic(visitors: number | null): string {
  if (visitors === null) return NOT_GIVEN;
  if (visitors < 1000) return formatCount(visitors);
  const [unit, letter] = visitors < 1_000_000 ? [1000, 'K'] : [1_000_000, 'M'];
  return `${formatCount(Math.floor((visitors / unit) * 10) / 10)}${letter}`;
}

export const formatYears = (years: number | null): string =>
  years === null
    ? NOT_GIVEN
    : years < 1
      ? 'Under 1 year'
      : `${formatCount(Math.floor(years * 10) / 10)} ${years === 1 ? 'year' : 'years'}`;

/** "+12.5%": the claim is above what was measured. */
export const formatDifference = (percent: number): string =>
  `${percent > 0 ? '+' : percent < 0 ? '−' : ''}${formatCount(Math.abs(Math.round(percent * 10) / 10))}%`;

/** "12,500" → 12500; null for anything but whole dollars (no cents: the marketplace has none). */
export function parseDollars(text: string, { negative = false, zero = true } = {}): number | null {
  const match = /^([-−])?\$?\s*(\d{1,3}(?:,\d{3})+|\d{1,13})(?:\.0{1,2})?$/.exec(text.trim());
  if (!match || (match[1] && !negative)) return null;
  const value = Number(match[2]?.replaceAll(',', ''));
  if (value > 1_000_000_000_000 || (value === 0 && !zero)) return null;
  return match[1] && value > 0 ? -value : value;
}

export const LISTING_STATES: Record<
  ListingStatus,
  { readonly label: string; readonly tone: Tone; readonly text: string }
> = {
  draft: { label: 'Draft', tone: 'neutral', text: 'Visible only to you. Submit it when it is ready.' },
  in_review: { label: 'In review', tone: 'warn', text: 'An admin reviews it before it goes live.' },
  active: { label: 'Active', tone: 'good', text: 'Visible to everyone.' },
  under_offer: {
    label: 'Under offer',
    tone: 'brand',
    text: 'An offer was accepted; the deal is in progress.',
  },
  in_escrow: { label: 'In escrow', tone: 'brand', text: 'Escrow is funded; the website is being transferred.' },
  sold: { label: 'Sold', tone: 'good', text: 'The deal is complete.' },
  rejected: { label: 'Rejected', tone: 'bad', text: 'Fix the listed problems and submit it again.' },
  suspended: { label: 'Suspended', tone: 'bad', text: 'An admin took it offline.' },
  withdrawn: { label: 'Withdrawn', tone: 'neutral', text: 'The seller withdrew it.' },
  expired: { label: 'Expired', tone: 'neutral', text: 'The listing expired; it can be submitted again.' },
};

export const OFFER_STATES: Record<OfferStatus, { readonly label: string; readonly tone: Tone }> = {
  sent: { label: 'Sent', tone: 'warn' },
  countered: { label: 'Countered', tone: 'warn' },
  accepted: { label: 'Accepted', tone: 'good' },
  declined: { label: 'Declined', tone: 'bad' },
  withdrawn: { label: 'Withdrawn', tone: 'neutral' },
  expired: { label: 'Expired', tone: 'neutral' },
};

export const ESCROW_STATES: Record<EscrowStatus, { readonly label: string; readonly tone: Tone }> = {
  agreed: { label: 'Agreed', tone: 'warn' },
  funded: { label: 'Funded', tone: 'brand' },
  delivered: { label: 'Delivered', tone: 'brand' },
  inspecting: { label: 'Inspecting', tone: 'brand' },
  accepted: { label: 'Accepted', tone: 'good' },
  disputed: { label: 'Disputed', tone: 'bad' },
  released: { label: 'Released', tone: 'good' },
  refunded: { label: 'Refunded', tone: 'neutral' },
  cancelled: { label: 'Canceled', tone: 'neutral' },
  confirmed: { label: 'Confirmed by one side', tone: 'brand' },
  completed: { label: 'Completed', tone: 'good' },
};
