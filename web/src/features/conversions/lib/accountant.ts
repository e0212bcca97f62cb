// The usual ranges of months for an accountant, and what the file has of each.
import type { AccountantOverview } from '../api/payouts';
import { formatDay } from '@/lib/dates';
import { formatCount, formatMinor } from '@/lib/format';
import { monthName } from './month-name';
import { addMonths } from './search';

type AccountantMonth = AccountantOverview['months'][number];

/** Months as YYYY-MM, the last one included. */
export interface Months {
  readonly from: string;
  readonly to: string;
}
export interface NamedMonths extends Months {
  readonly name: string;
}

/** Last month, the last whole quarter and this year until now, as of the month `now`. */
export function usualMonths(now: string): readonly NamedMonths[] {
  const [year, month] = [Number(now.slice(0, 4)), Number(now.slice(5))];
  const quarter = addMonths(now, -((month - 1) % 3) - 3);
  const last = addMonths(now, -1);
  return [
    { name: monthName(last), from: last, to: last },
    {
      name: `Q${(Number(quarter.slice(5)) + 2) / 3} ${quarter.slice(0, 4)}`,
      from: quarter,
      to: addMonths(quarter, 2),
    },
    { name: `${year} until now`, from: `${year}-01`, to: now },
  ];
}

/** From the first month of all to the last. */
export const spanOf = (ranges: readonly Months[]): Months => ({
  from: ranges.map((one) => one.from).sort()[0] ?? '',
  to:
    ranges
      .map((one) => one.to)
      .sort()
      .at(-1) ?? '',
});

/** What was earned and paid in these months: a text for each currency. None: nothing was booked or paid. */
export function sumTexts(months: readonly AccountantMonth[], { from, to }: Months): readonly string[] {
  const sums = new Map<string, { earned: number; paid: number; entries: number }>();
  for (const { month, totals } of months) {
    if (month < from || month > to) continue;
    for (const total of totals) {
      const sum = sums.get(total.currency) ?? { earned: 0, paid: 0, entries: 0 };
      sums.set(total.currency, {
        earned: sum.earned + total.approved - total.reversed - total.adjustments,
        paid: sum.paid + total.paid,
        entries: sum.entries + total.entries,
      });
    }
  }
  return [...sums]
    .filter(([, { entries }]) => entries > 0)
    .map(
      ([currency, { earned, paid }]) =>
        `${formatMinor({ amount: earned, currency })} earned, ${formatMinor({ amount: paid, currency })} paid`,
    );
}

/** What of these months has no rate: a sentence for each currency. */
export function lackingTexts(months: readonly AccountantMonth[], { from, to }: Months): readonly string[] {
  const found = new Map<string, { lines: number; lacking: string }>();
  for (const { month, notConverted } of months) {
    if (month < from || month > to) continue;
    for (const { lines, earned, lacking } of notConverted) {
      const before = found.get(earned.currency);
      found.set(earned.currency, {
        lines: (before?.lines ?? 0) + lines,
        lacking: before && before.lacking < lacking ? before.lacking : lacking,
      });
    }
  }
  return [...found].map(
    ([currency, { lines, lacking }]) =>
      `${formatCount(lines)} ${lines === 1 ? 'line stays' : 'lines stay'} in ${currency}: no exchange rate on ${formatDay(lacking)}.`,
  );
}
