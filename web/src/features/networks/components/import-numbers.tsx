import { cx } from '@/lib/cx';
import { formatCount } from '@/lib/format';
import type { NetworkImport, RowKind } from '../api/imports';
import { deltaText, numbersOf } from '../lib/numbers';
import { hasRows } from '../lib/states';

interface Props {
  readonly of: NetworkImport;
  /** Whose rows are shown. */
  readonly kind: RowKind | null;
  readonly onOpen: (kind: RowKind | null) => void;
}

/** What an import does. Each number opens its rows, as long as they are stored. */
export function ImportNumbers({ of, kind, onOpen }: Props) {
  return (
    <ul aria-label="Rows of the report" className="grid grid-cols-2 gap-2 sm:grid-cols-3 lg:flex lg:flex-wrap">
      {numbersOf(of).map((one) => {
        const isOpen = one.kind === kind;
        return (
          <li key={one.kind} className="min-w-0 lg:min-w-32">
            {hasRows(of.state) && one.count > 0 ? (
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
          <Number value={deltaText(of.delta ?? []) || '0'} label="change in commission" />
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
