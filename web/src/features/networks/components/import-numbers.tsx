import { useState } from 'react';
import { cx } from '@/lib/cx';
import { formatCount } from '@/lib/format';
import type { NetworkImport, RowKind } from '../api/imports';
import { deltaText, numbersOf } from '../lib/numbers';
import { hasRows } from '../lib/states';
import { ImportRows } from './import-rows';

interface Props {
  readonly of: NetworkImport;
  readonly timezone: string;
}

/** What an import does. Each number opens its rows, as long as they are stored. */
export function ImportNumbers({ of, timezone }: Props) {
  const [kind, setKind] = useState<RowKind | null>(null);
  const numbers = numbersOf(of);
  const open = hasRows(of.state) ? numbers.find((one) => one.kind === kind && one.count > 0) : undefined;
  return (
    <>
      <ul aria-label="Rows of the report" className="grid grid-cols-2 gap-2 sm:grid-cols-3 lg:flex lg:flex-wrap">
        {numbers.map((one) => (
          <li key={one.kind} className="min-w-0 lg:min-w-32">
            {hasRows(of.state) && one.count > 0 ? (
              <button
                type="button"
                aria-pressed={one === open}
                className={cx(TILE, 'hover:bg-sunken', one === open && 'border-brand bg-brand-soft')}
                onClick={() => setKind(one === open ? null : one.kind)}
              >
                <Number value={formatCount(one.count)} label={one.label} />
              </button>
            ) : (
              <div className={TILE}>
                <Number value={formatCount(one.count)} label={one.label} />
              </div>
            )}
          </li>
        ))}
        <li className="min-w-0 lg:min-w-32">
          <div className={TILE}>
            <Number value={deltaText(of.delta ?? []) || '0'} label="change in commission" />
          </div>
        </li>
      </ul>
      {open && (
        <div className="mt-4">
          <ImportRows key={open.kind} id={of.importId} kind={open.kind} label={open.label} timezone={timezone} />
        </div>
      )}
    </>
  );
}

const TILE = 'size-full rounded-lg border border-line px-3.5 py-2.5 text-left';

/** The space is read between them. */
const Number = ({ value, label }: { readonly value: string; readonly label: string }) => (
  <>
    <span className="block text-lg font-semibold wrap-anywhere tabular">{value} </span>
    <span className="block text-[0.8125rem] text-muted">{label}</span>
  </>
);
