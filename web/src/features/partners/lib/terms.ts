// What a partner pays, as the texts of a form.
import type { Terms } from '@/lib/api/types';
import { majorText, parseMinor } from '@/lib/format';
import { parsePercent } from '@/lib/format/percent';

export interface TierDraft {
  readonly atLeast: string;
  readonly rate: string;
}

export interface TermsDraft {
  readonly kind: Terms['kind'];
  readonly rate: string;
  readonly currency: string;
  readonly tiersBy: Terms['tiersBy'];
  readonly tiersCurrency: string;
  readonly tiers: readonly TierDraft[];
  readonly holdDays: string;
  readonly autoApproveDays: string;
}

export function draftOf(terms: Terms): TermsDraft {
  const rate = (item: { readonly percent: number | null; readonly amount: number | null }) =>
    terms.kind === 'percent'
      ? String(item.percent ?? 0)
      : majorText({ amount: item.amount ?? 0, currency: terms.currency ?? 'USD' });
  return {
    kind: terms.kind,
    rate: rate(terms),
    currency: terms.currency ?? 'USD',
    tiersBy: terms.tiersBy,
    tiersCurrency: terms.tiersCurrency ?? 'USD',
    tiers: terms.tiers.map((tier) => ({
      atLeast:
        terms.tiersBy === 'revenue'
          ? majorText({ amount: tier.atLeast, currency: terms.tiersCurrency ?? 'USD' })
          : String(tier.atLeast),
      rate: rate(tier),
    })),
    holdDays: String(terms.holdDays),
    autoApproveDays: terms.autoApproveDays === null ? '' : String(terms.autoApproveDays),
  };
}

/** The terms that a form means, or the first thing that is wrong with it. */
export function termsOf(draft: TermsDraft): { readonly terms: Omit<Terms, 'text'> } | { readonly error: string } {
  const isPercent = draft.kind === 'percent';
  const rateOf = (text: string) =>
    isPercent ? parsePercent(text) : /^0+(?:[.,]0+)?$/.test(text.trim()) ? 0 : parseMinor(text, draft.currency);
  const shape = (rate: number) => ({ percent: isPercent ? rate : null, amount: isPercent ? null : rate });
  const rate = rateOf(draft.rate);
  if (rate === null)
    return {
      error: isPercent
        ? 'Please enter a percentage from 0 to 100 in steps of 0.01'
        : `Please enter an amount in ${draft.currency}`,
    };
  const tiers = [];
  for (const [index, tier] of draft.tiers.entries()) {
    const atLeast =
      draft.tiersBy === 'revenue'
        ? parseMinor(tier.atLeast, draft.tiersCurrency)
        : parseCount(tier.atLeast, 1, 1_000_000_000);
    const paid = rateOf(tier.rate);
    if (atLeast === null || paid === null) return { error: `Please complete tier ${index + 1}` };
    tiers.push({ atLeast, ...shape(paid) });
  }
  const holdDays = parseCount(draft.holdDays || '0', 0, 365);
  const autoApproveDays = draft.autoApproveDays.trim() === '' ? null : parseCount(draft.autoApproveDays, 0, 365);
  if (holdDays === null || (draft.autoApproveDays.trim() !== '' && autoApproveDays === null))
    return { error: 'Days are whole numbers from 0 to 365' };
  return {
    terms: {
      kind: draft.kind,
      ...shape(rate),
      currency: isPercent ? null : draft.currency,
      tiersBy: draft.tiersBy,
      tiersCurrency: tiers.length > 0 && draft.tiersBy === 'revenue' ? draft.tiersCurrency : null,
      tiers,
      holdDays,
      autoApproveDays,
    },
  };
}

function parseCount(text: string, least: number, most: number): number | null {
  const value = /^\d{1,10}$/.test(text.trim()) ? Number(text.trim()) : null;
  return value !== null && value >= least && value <= most ? value : null;
}
