import { cx } from '@/lib/cx';
import { useIsPhone } from '@/lib/browser/media';
import { Table, type Column } from './table';

interface Props<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row, index: number) => string;
  /** Of the table; a list is as long as it is. */
  readonly maxHeight?: string;
}

/** A table; on a phone, where it would have to scroll sideways, each row is a small list of its own, without what it does not have. */
export function Rows<Row>({ caption, columns, rows, rowKey, maxHeight }: Props<Row>) {
  const isPhone = useIsPhone();
  if (!isPhone)
    return (
      <Table caption={caption} columns={columns} rows={rows} rowKey={rowKey} {...(maxHeight ? { maxHeight } : {})} />
    );
  return (
    <ul aria-label={caption} className="divide-y divide-line rounded-lg border border-line">
      {rows.map((row, index) => (
        <li key={rowKey(row, index)} className="flex flex-col gap-1 px-3 py-2.5">
          {columns.map((column, place) => {
            const bare = place === 0 || column.id === 'actions';
            const value = column.cell(row);
            if (value === '' || value === null || value === undefined || value === false) return null;
            return (
              <div
                key={column.id}
                className={cx(
                  bare ? 'min-w-0' : 'grid grid-cols-[7rem_1fr] gap-2 text-[0.8125rem]',
                  column.numeric && 'tabular',
                )}
              >
                {!bare && <span className="text-muted">{column.label ?? column.header}</span>}
                <div className="min-w-0 break-words">{value}</div>
              </div>
            );
          })}
        </li>
      ))}
    </ul>
  );
}
