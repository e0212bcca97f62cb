import { cx } from '@/lib/cx';
import { formatCount } from '@/lib/format';
import { deltaText } from '@/lib/imports/delta';
import type { Money } from '@/lib/api/types';

export interface ImportNumber<Kind extends string> {
  readonly kind: Kind;
  readonly count: number;
  readonly label: string;
}

interface Props<Kind extends string> {
  readonly numbers: readonly ImportNumber<Kind>[];
  readonly delta: readonly Money[];
  /** What the difference is of: "change in commission". */
  readonly deltaLabel: string;
  /** The rows are stored and can be opened. */
  readonly hasRows: boolean;
  /** Whose rows are shown. */
  readonly kind: Kind | null;
  readonly onOpen: (kind: Kind | null) => void;
}

/** What an import does. Each number opens its rows, as long as they are stored. */
export function ImportNumbers<Kind extends string>({ numbers, delta, deltaLabel, hasRows, kind, onOpen }: Props<Kind>) {
  return (
    <ul aria-label="Rows of the report" className="grid grid-cols-2 gap-2 sm:grid-cols-3 lg:flex lg:flex-wrap">
      {numbers.map((one) => {
        const isOpen = one.kind === kind;
        return (
          <li key={one.kind} className="min-w-0 lg:min-w-32">
            {hasRows && one.count > 0 ? (
              <button
                type="button"
                aria-pressed={isOpen}
                className={cx(TILE, isOpen ? 'border-brand bg-brand-soft' : 'border-line hover:bg-sunken')}
                onClick={() => onOpen(isOpen ? null : one.kind)}
              >
                <Number value={formatCount(one.count)} label={one.label} />
              </button>
            ) : (
              <div className={cx(TILE, 'border-line')}>
                <Number value={formatCount(one.count)} label={one.label} />
              </div>
            )}
          </li>
        );
      })}
      <li className="min-w-0 max-sm:col-span-2 lg:min-w-32">
        <div className={cx(TILE, 'border-line')}>
          <Number value={deltaText(delta) || '0'} label={deltaLabel} />
        </div>
      </li>
    </ul>
  );
}

const TILE = 'size-full rounded-lg border px-3.5 py-2.5 text-left';

/** The space is read between them. */
const Number = ({ value, label }: { readonly value: string; readonly label: string }) => (
  <>
    <span className="block text-lg font-semibold wrap-anywhere tabular">{value}</span>{' '}
    <span className="block text-[0.8125rem] text-muted">{label}</span>
  </>
);
