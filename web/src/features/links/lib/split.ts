// How the judgement of a split reads.
import type { LinkSplit } from '@/lib/api/types';
import { countOf, formatMoney, formatPercent, fractionDigits } from '@/lib/format';

type Variant = LinkSplit['variants'][number];

export const variantName = (variant: Pick<Variant, 'number' | 'name'>): string =>
  variant.name || `Variant ${variant.number}`;

/** Earnings per click: one digit more than the currency has, as they are small. */
export const formatEpc = (minor: number, currency: string): string =>
  formatMoney(minor / 10 ** fractionDigits(currency), currency, fractionDigits(currency) + 1);

/** The verdict in a few words, and the sentence that explains it. */
export function verdictOf(split: LinkSplit): { readonly title: string; readonly text: string } {
  const nameOf = (number: number | null) => nameIn(split, number);
  const [closest] = [...split.comparisons].sort((one, other) => one.low - other.low);
  switch (split.verdict) {
    case 'winner':
      return {
        title: `${nameOf(split.leader)} wins`,
        text: closest
          ? `It earns ${difference(split, closest)} more per click than ${nameOf(closest.other)}: at least ${formatEpc(closest.low, split.currency)} and at most ${formatEpc(closest.high, split.currency)}. Sureness: ${sureness(closest.sureness)}.`
          : '',
      };
    case 'equal':
      return {
        title: 'No difference',
        text: 'The variants differ by less than 10% per click, and more traffic will not change that. Take the one whose terms you prefer.',
      };
    case 'undecided':
      return {
        title: 'Not certain yet',
        text: closest
          ? `${nameOf(split.leader)} is ahead of ${nameOf(closest.other)} by ${difference(split, closest)} per click, which can still be chance. ${
              split.moreBuyers === null
                ? 'At this difference no amount of sales will tell soon.'
                : `If it stays that way, about ${countOf(split.moreBuyers, 'more buyer')} will decide it.`
            }`
          : '',
      };
    case 'collecting':
      return { title: 'Not enough data yet', text: missing(split, nameOf) };
  }
}

type Shift = LinkSplit['shifts'][number];

/** The outcome of a day's look at the results. */
export function outcomeOf(split: LinkSplit, { outcome, leader, sureness: sure }: Shift): string {
  switch (outcome) {
    case 'shifted':
      return `${nameIn(split, leader)} earns more per click${sure === null ? '' : ` (sureness ${sureness(sure)})`}`;
    case 'collecting':
      return 'No shift: not enough yet';
    case 'undecided':
      return 'No shift: the difference is not certain yet';
    case 'equal':
      return 'No shift: the variants earn the same';
    case 'at_bounds':
      return `No shift: ${nameIn(split, leader)} has all that the limits allow`;
  }
}

/** Each variant's share before and after a shift. */
export const sharesOf = (split: LinkSplit, shift: Shift): readonly string[] =>
  shift.variants
    .filter((variant) => variant.getsTraffic)
    .map(({ number, before, after }) =>
      shift.outcome === 'shifted'
        ? `${nameIn(split, number)} ${formatPercent(before, 0)} → ${formatPercent(after, 0)}`
        : `${nameIn(split, number)} ${formatPercent(before, 0)}`,
    );

function nameIn(split: LinkSplit, number: number | null): string {
  const variant = split.variants.find((item) => item.number === number);
  return variant ? variantName(variant) : `Variant ${number}`;
}

type Compared = LinkSplit['comparisons'][number];

function difference(split: LinkSplit, { by, percent }: Compared): string {
  const amount = formatEpc(by, split.currency);
  return percent === null ? amount : `${amount} (${formatPercent(percent, 0)})`;
}

/** Never "100%": a judgement by chance is never that sure. */
const sureness = (value: number): string => (value > 0.999 ? 'over 99.9%' : formatPercent(100 * value, 1));

function missing(split: LinkSplit, nameOf: (number: number) => string): string {
  const parts = [
    ...split.missingBuyers.map(({ number, buyers }) => `${countOf(buyers, 'more buyer')} of ${nameOf(number)}`),
    ...(split.missingDays > 0 ? [`${countOf(split.missingDays, 'more day')}`] : []),
  ];
  return parts.length > 0 ? `A verdict needs ${parts.join(', ')}.` : 'A verdict needs two variants that get traffic.';
}
