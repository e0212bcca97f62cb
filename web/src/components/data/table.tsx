import { Fragment, useRef, type ReactNode } from 'react';
import { useMoreBeside } from '@/components/ui/scroll-edges';
import { cx } from '@/lib/cx';

export interface Column<Row> {
  /** `actions` stays in view where the table scrolls sideways, but on a phone. */
  readonly id: string;
  readonly header: ReactNode;
  /** The header as text, where `header` is a sort button. */
  readonly label?: string;
  readonly cell: (row: Row) => ReactNode;
  readonly numeric?: boolean;
  readonly className?: string;
  /** How the rows are sorted by this column; its header is then a button of the caller's. */
  readonly sorted?: 'ascending' | 'descending' | 'none';
}

interface Props<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row, index: number) => string;
  readonly maxHeight?: string;
  /** What is shown below a row, next to it and not elsewhere on the page; null for a closed row. */
  readonly detail?: (row: Row) => ReactNode;
  /** Rows of one line, some 40 px high: lists that people work through. */
  readonly dense?: boolean;
}

/** A plain table that scrolls inside itself, so that the page never scrolls sideways. */
export function Table<Row>({ caption, columns, rows, rowKey, maxHeight, detail, dense = false }: Props<Row>) {
  const box = useRef<HTMLDivElement>(null);
  useMoreBeside(box);
  return (
    <div
      ref={box}
      role="region"
      aria-label={caption}
      tabIndex={0}
      className={cx('fades-sideways relative overflow-auto rounded-lg border border-line', maxHeight)}
    >
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">{caption}</caption>
        <thead className="sticky top-0 z-raised bg-sunken text-[0.8125rem] text-muted">
          <tr>
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                aria-sort={column.sorted}
                className={cx(
                  'py-2 font-medium whitespace-nowrap',
                  dense ? 'px-2.5' : 'px-3 max-sm:px-2',
                  column.numeric && 'text-right',
                  column.id === 'actions' && 'stays-right',
                )}
              >
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => {
            const below = detail?.(row);
            return (
              <Fragment key={rowKey(row, index)}>
                <tr className="border-t border-line">
                  {columns.map((column) => (
                    <td
                      key={column.id}
                      className={cx(
                        dense ? 'h-10 px-2.5 py-1' : 'px-3 py-2 max-sm:px-2',
                        column.numeric && 'text-right tabular',
                        column.id === 'actions' && 'stays-right',
                        column.className,
                      )}
                    >
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
                {below && (
                  <tr>
                    <td colSpan={columns.length} className="bg-sunken/50 p-3">
                      {below}
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
