import type { ConversionTotals, Money } from '@/lib/api/types';
import { formatCount, formatMinor } from '@/lib/format';
import { added } from '../lib/sums';
import { STATUSES } from '../lib/search';
import { totalOf } from '../api/totals';
import { STATUS_LABELS } from './status-badge';

interface Props {
  readonly totals: ConversionTotals | undefined;
  readonly onUnattributed: () => void;
}

/** What the filter amounts to, whatever the page shows. Its height is the same before it is known. */
export function LedgerTotals({ totals, onUnattributed }: Props) {
  return (
    <dl
      aria-label="Totals of the filter"
      aria-busy={!totals}
      className="my-3 grid min-h-14 grid-cols-2 gap-x-6 gap-y-2 max-sm:min-h-44 rounded-lg bg-sunken px-3.5 py-2.5 sm:flex sm:flex-wrap"
    >
      {totals && (
        <>
          <Total name="Conversions" value={formatCount(totals.count)} />
          <Total name="Sales" value={moneyOf(totals.amounts)} />
          {STATUSES.map((status) => {
            const found = totalOf(totals, status);
            const count = found.reduce((sum, item) => sum + item.count, 0);
            const earns = status === 'pending' || status === 'approved';
            return (
              <Total
                key={status}
                name={`${STATUS_LABELS[status]} (${formatCount(count)})`}
                value={earns ? moneyOf(added(found.map((item) => item.commission))) : '–'}
              />
            );
          })}
          <div className="min-w-20">
            <dt className="text-xs text-muted">Unattributed</dt>
            <dd className="font-medium tabular">
              {totals.unattributed > 0 ? (
                <button
                  type="button"
                  className="rounded text-left text-warn max-sm:-my-2.5 max-sm:min-h-10 max-sm:min-w-20 underline decoration-dotted underline-offset-4 hover:decoration-solid"
                  aria-label={`Show ${formatCount(totals.unattributed)} unattributed`}
                  onClick={onUnattributed}
                >
                  {formatCount(totals.unattributed)}
                </button>
              ) : (
                '0'
              )}
            </dd>
          </div>
        </>
      )}
    </dl>
  );
}

function Total({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="min-w-20">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="font-medium tabular">{value}</dd>
    </div>
  );
}

const moneyOf = (amounts: readonly Money[]): string => amounts.map((amount) => formatMinor(amount)).join(' · ') || '–';
