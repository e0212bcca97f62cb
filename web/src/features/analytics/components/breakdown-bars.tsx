import { Link } from '@tanstack/react-router';
import { ArrowUpRight, ListTree } from 'lucide-react';
import type { Breakdown, BreakdownRow } from '../api/breakdown';
import { isUnset, valueName, type Named } from '../lib/dimensions';
import { metricName, shortName, shortText, type Metric } from '../lib/metrics';
import type { Dimension } from '../lib/search';
import { cx } from '@/lib/cx';

interface Props {
  readonly by: Dimension;
  readonly data: Breakdown;
  /** The first one is drawn. */
  readonly metrics: readonly [Metric, ...Metric[]];
  readonly named: Named;
  /** The values that the page is filtered by. */
  readonly picked: readonly string[];
  readonly onPick: (value: string) => void;
  readonly onEvents: (value: string, name: string) => void;
}

/** Rows as bars of one metric; a click on one filters the page. */
export function BreakdownBars({ by, data, metrics, named, picked, onPick, onEvents }: Props) {
  const [metric] = metrics;
  const [unset, found] = [true, false].map((is) => data.rows.filter((row) => isUnset(by, row.values[by] ?? '') === is));
  const rows = [...(found ?? []), ...(unset ?? [])];
  const most = Math.max(0, ...(found?.length ? found : rows).map((row) => row[metric] ?? 0));
  return (
    <>
      <div aria-hidden className="flex h-6 items-center gap-2 px-2 text-xs text-muted">
        <span className="min-w-0 flex-1" />
        {metrics.map((item, index) => (
          <span key={item} className={cx('w-19 shrink-0 truncate text-right', index === 2 && 'max-sm:hidden')}>
            {shortName(item)}
          </span>
        ))}
      </div>
      <ul role="list" className="flex flex-col gap-0.5">
        {rows.map((row) => {
          const value = row.values[by] ?? '';
          const name = valueName(by, value, named, row.label);
          return (
            <li key={value} className="group relative">
              <Bar
                name={name}
                row={row}
                metrics={metrics}
                share={most > 0 ? Math.min(1, (row[metric] ?? 0) / most) : 0}
                isQuiet={isUnset(by, value)}
                currency={data.currency}
                isPicked={picked.includes(value)}
                onPick={() => onPick(value)}
              />
              {by === 'link' && !isUnset(by, value) && (
                <Link
                  to="/links/$id"
                  params={{ id: value }}
                  title="Page of the link"
                  aria-label={`Page of link ${name}`}
                  className={cx(ROW_ACTION, 'right-7')}
                >
                  <ArrowUpRight aria-hidden className="size-3.5" />
                </Link>
              )}
              <button
                type="button"
                title="View events"
                aria-label={`View events of ${name}`}
                className={cx(ROW_ACTION, '-right-1')}
                onClick={() => onEvents(value, name)}
              >
                <ListTree aria-hidden className="size-3.5" />
              </button>
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** What else may be done with a row, where a pointer shows it. */
const ROW_ACTION =
  'absolute top-0 grid size-8 place-items-center rounded-md bg-surface text-muted opacity-0 group-hover:opacity-100 hover:text-text focus-visible:opacity-100 max-sm:hidden pointer-coarse:hidden';

interface BarProps {
  readonly name: string;
  readonly row: BreakdownRow;
  readonly metrics: readonly Metric[];
  readonly share: number;
  readonly currency: string;
  readonly isPicked: boolean;
  /** It is no finding. */
  readonly isQuiet: boolean;
  readonly onPick: () => void;
}

function Bar({ name, row, metrics, share, currency, isPicked, isQuiet, onPick }: BarProps) {
  return (
    <button
      type="button"
      onClick={onPick}
      aria-pressed={isPicked}
      title={name}
      className="relative flex h-8 w-full items-center gap-2 rounded-md px-2 text-left hover:bg-sunken max-sm:h-10"
    >
      <span
        aria-hidden
        className={cx(
          'absolute inset-y-0.5 left-0 rounded-md transition-[width]',
          isPicked ? 'bg-brand/25' : isQuiet ? 'bg-sunken' : 'bg-brand-soft',
        )}
        style={{ width: `${Math.max(share > 0 ? 0.5 : 0, share * 100)}%` }}
      />
      <span className={cx('relative min-w-0 flex-1 truncate', isQuiet && 'text-muted')}>
        <span className="sr-only">Filter by </span>
        {name}
      </span>
      {metrics.map((item, index) => (
        <span
          key={item}
          className={cx(
            'relative w-19 shrink-0 truncate text-right tabular',
            index === 0 ? 'font-medium' : 'text-muted',
            index === 2 && 'max-sm:hidden',
          )}
        >
          <span className="sr-only">, {metricName(item)} </span>
          {shortText(item, row[item], currency)}
        </span>
      ))}
    </button>
  );
}
