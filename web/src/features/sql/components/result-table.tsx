// A table of any length: only the rows near the view are in the page.
import { useMemo, useState } from 'react';
import { cx } from '@/lib/cx';
import { countOf } from '@/lib/format';
import type { SqlResult } from '../api/queries';
import { isNumber, shown, widths } from '../lib/values';

const ROW = 30;
const HEAD = 44;
const VIEW = 480;
const MARGIN = 12;
/** Characters of a value; files have the whole. */
const MAX_SHOWN = 200;
const MAX_HINTED = 2000;

interface Props {
  readonly result: SqlResult;
  readonly height?: number;
}

export function ResultTable({ result, height = VIEW }: Props) {
  const [top, setTop] = useState(0);
  const { columns, rows } = result;
  const first = Math.max(0, Math.floor(top / ROW) - MARGIN);
  const last = Math.min(rows.length, Math.ceil((top + height) / ROW) + MARGIN);
  const wide = useMemo(() => widths(columns, rows), [columns, rows]);
  return (
    <div
      role="region"
      aria-label="Rows of the result"
      tabIndex={0}
      className="relative overflow-auto rounded-lg border border-line"
      style={{ maxHeight: height }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <table
        className="min-w-full table-fixed border-collapse text-left text-[0.8125rem]"
        style={{ width: `${wide.reduce((sum, width) => sum + width + 4, 8)}ch` }}
        aria-rowcount={rows.length + 1}
      >
        <caption className="sr-only">{`Result with ${countOf(rows.length, 'row')}`}</caption>
        <colgroup>
          <col style={{ width: `${Math.max(4, String(rows.length).length + 2)}ch` }} />
          {wide.map((width, index) => (
            <col key={index} style={{ width: `${width + 4}ch` }} />
          ))}
        </colgroup>
        <thead className="sticky top-0 z-raised bg-sunken" style={{ height: HEAD }}>
          <tr aria-rowindex={1}>
            <th scope="col" className="px-2 text-right font-normal text-muted">
              <span className="sr-only">Row</span>#
            </th>
            {columns.map((column, index) => (
              <th
                key={index}
                scope="col"
                className={cx('px-3 align-middle leading-tight', isNumber(column.type) && 'text-right')}
              >
                <span className="block truncate font-medium" title={column.name}>
                  {column.name}
                </span>
                <span className="block truncate text-[0.6875rem] font-normal text-muted" title={column.type}>
                  {column.type}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <Space rows={first} columns={columns.length + 1} />}
          {rows.slice(first, last).map((row, index) => (
            <tr
              key={first + index}
              aria-rowindex={first + index + 2}
              className="border-t border-line"
              style={{ height: ROW }}
            >
              <td className="px-2 text-right text-muted tabular">{first + index + 1}</td>
              {columns.map((column, at) => {
                const value = row[at];
                const text = shown(value);
                return (
                  <td
                    key={at}
                    title={text.length > 40 ? text.slice(0, MAX_HINTED) : undefined}
                    className={cx(
                      'truncate px-3',
                      isNumber(column.type) && 'text-right tabular',
                      (value === null || value === '') && 'text-muted italic',
                    )}
                  >
                    {value === '' ? 'empty' : text.slice(0, MAX_SHOWN)}
                  </td>
                );
              })}
            </tr>
          ))}
          {last < rows.length && <Space rows={rows.length - last} columns={columns.length + 1} />}
        </tbody>
      </table>
    </div>
  );
}

function Space({ rows, columns }: { readonly rows: number; readonly columns: number }) {
  return (
    <tr aria-hidden style={{ height: rows * ROW }}>
      <td colSpan={columns} />
    </tr>
  );
}
