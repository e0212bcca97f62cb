import { browserTimezone, formatZoned } from '@/lib/dates';
import { countOf, formatMinor } from '@/lib/format';
import type { Waiting } from '../api/awaiting-rate';

/** The website's sales that count nowhere until an exchange rate comes; nothing without any. */
export function AwaitingRate({ waiting }: { readonly waiting: readonly Waiting[] }) {
  if (waiting.length === 0) return null;
  return (
    <section
      aria-label="Waiting for an exchange rate"
      className="mb-4 rounded-lg border border-warn/30 bg-warn-soft px-4 py-3"
    >
      <h2 className="font-semibold text-warn">Waiting for an exchange rate</h2>
      <ul className="mt-1 flex flex-col gap-1">
        {waiting.map((one) => (
          <li key={`${one.currency}-${one.quote}`} className="break-words">
            {`${countOf(one.sales, 'sale')}${one.amount ? `, ${formatMinor(one.amount)}` : ''}, since ${formatZoned(one.since, browserTimezone())}: no rate from ${one.currency ?? "a currency of the partner's terms"} to ${one.quote}.`}
            <span className="block text-[0.8125rem] text-muted">{named(one.transactions, one.sales)}</span>
          </li>
        ))}
      </ul>
      <p className="mt-1 text-[0.8125rem]">
        They count automatically once an admin adds the rate. You need not report them again.
      </p>
    </section>
  );
}

function named(transactions: readonly string[], sales: number): string {
  const more = sales - transactions.length;
  return `Transactions: ${transactions.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
